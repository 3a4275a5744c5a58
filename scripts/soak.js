// Real runs on every pair of a ledger and a queue, each with two kills, by a provider that takes keys and by one that does not.
// --runs N: as many of each, 20 by default. --pair redis+sqs: that pair alone; may be repeated.
// --virtual: a minute of random search in each of 36 worlds instead (SOAK_SECONDS). Needs a build.
import { parseArgs } from 'node:util';
import { soakPairs, PAIRS } from './soak/pairs.js';
import { soakWorlds } from './soak/worlds.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    pair: { type: 'string', multiple: true, default: [...PAIRS] },
    virtual: { type: 'boolean', default: false },
  },
});
const unknown = values.pair.find((pair) => !PAIRS.includes(pair));
if (unknown !== undefined || !/^[1-9]\d*$/.test(values.runs)) {
  console.error(`expected --runs N and --pair with one of ${PAIRS.join(', ')}`);
  process.exit(2);
}
const failed = values.virtual ? soakWorlds() : await soakPairs(values.pair, Number(values.runs));
if (failed > 0) {
  console.error(`${failed} failed`);
  process.exit(1);
}
