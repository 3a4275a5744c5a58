// A worker that is there to be killed: `fork('worker.js', [JSON of its run])`. It ends with its parent.
import { Agent, request } from 'node:http';
import { ROWS } from './rows.js';

const { name, addresses, port, concurrency } = JSON.parse(process.argv[2]);
const { load, options } = ROWS[name];
const agent = new Agent({ keepAlive: true, maxSockets: concurrency });

/** Resolves with the status; rejects when the socket ends without an answer. */
function post(id, key) {
  return new Promise((resolve, reject) => {
    const headers = { 'idempotency-key': key ?? `job-${id}` };
    const sent = request({ agent, host: '127.0.0.1', port, path: `/${id}`, method: 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** Ours is told what the answer was; a peer's handler throws, which is how it asks for a retry. */
async function send(id, key) {
  if ((await post(id, key)) === 202) return 'taken';
  if (key !== undefined) return 'refused';
  throw new Error('503');
}

process.once('disconnect', () => process.exit());
const { open } = await load();
const peer = await open({ addresses, concurrency, send, options });
await peer.work();
