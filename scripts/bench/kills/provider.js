// The provider of one kill run, a process of its own, so that what it has seen outlives the worker: it records a request when it
// arrives, and answers later. `fork('provider.js', [JSON of its options])`; it tells its parent the port, and when `killAt` were told.
import { createServer } from 'node:http';

const { keyed, dropped = 0, refused = 0, killAt, count, answerMs } = JSON.parse(process.argv[2]);
const times = new Uint16Array(count);
const keys = new Set();
let reached = 0;
let lastFirstAt = 0;
let seed = 1;

/** The same for everybody: of requests in the order of their arrival, the same ones are dropped or refused. */
function drawn() {
  seed = (Math.imul(seed, 48_271) >>> 0) % 2_147_483_647;
  return seed / 2_147_483_647;
}

const server = createServer((request, response) => {
  const chance = drawn();
  if (chance < refused) {
    setTimeout(() => response.writeHead(503).end(), answerMs);
    return;
  }
  arrived(Number(request.url.slice(1)), request.headers['idempotency-key']);
  if (chance < dropped) setTimeout(() => request.socket.destroy(), answerMs);
  else setTimeout(() => response.writeHead(202).end(), answerMs);
});

function arrived(id, key) {
  if (keyed && keys.has(key)) return;
  if (keyed) keys.add(key);
  times[id] += 1;
  if (times[id] > 1) return;
  lastFirstAt = Date.now();
  reached += 1;
  if (reached === killAt) process.send({ kind: 'kill' });
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ kind: 'port', port: server.address().port }));
process.on('message', () => {
  const told = Array.from(times);
  const never = told.flatMap((n, id) => (n === 0 ? [id] : []));
  const [once, twice] = [told.filter((n) => n === 1).length, told.filter((n) => n > 1).length];
  process.send({ kind: 'report', once, twice, never, lastFirstAt });
});
process.once('disconnect', () => process.exit());
