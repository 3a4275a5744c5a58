import type { Memory } from '../ahead/memory.ts';
import type { AheadStore } from '../ahead/transact.ts';
import { foundIn } from './facts.ts';
import { isConflict, unavailable, whoOf } from './failures.ts';
import type { CheckedOptions } from './options.ts';
import { readStatement } from './questions.ts';
import { CLOCK_MS } from './schema.ts';
import { parameters } from './text.ts';
import { writeStatement } from './writing.ts';

/** One statement that reads, and one that writes: no connection is held in between. `memory` is told what was seen of the store. */
export function postgresStore(
  options: Pick<
    CheckedOptions,
    'query' | 'name' | 'schema' | 'contentRetentionMs' | 'retentionMs' | 'tombstoneRetentionMs'
  >,
  memory: Memory | null = null,
): AheadStore {
  const { query, name, schema, contentRetentionMs, retentionMs, tombstoneRetentionMs } = options;
  return {
    who: whoOf(name),
    async read(wanted, { withoutMessages }) {
      const { text, values } = readStatement(wanted, { schema, withoutMessages });
      const askedAt = memory?.monotonic() ?? 0;
      const found = foundIn(await query(text, values));
      memory?.saw(found.store, askedAt);
      return found;
    },
    async write(run, known, about) {
      const { text, values } = writeStatement(run, known, {
        ...{ schema, contentRetentionMs, retentionMs, tombstoneRetentionMs },
        ...about,
      });
      const askedAt = memory?.monotonic() ?? 0;
      const [row] = await query(text, values, true);
      memory?.wasAt(Number(row?.['ms']), askedAt);
      return row?.['ok'] === 'true';
    },
    versionAfter: (version) => (version === null ? '0' : String(Number(version) + 1)),
    async reserve(by, forMs) {
      const { add, values } = parameters();
      await query(
        `UPDATE ${schema}.store SET reserved_by = ${add(by)}, reserved_until = ${CLOCK_MS} + ${forMs}
         WHERE reserved_until <= ${CLOCK_MS} OR reserved_by = ${add(by)}`,
        values,
      );
    },
    async giveBack(by) {
      const { add, values } = parameters();
      await query(`UPDATE ${schema}.store SET reserved_until = 0 WHERE reserved_by = ${add(by)}`, values);
    },
    isConflict,
    unavailable: (error) => unavailable(error, name),
  };
}
