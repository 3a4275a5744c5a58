import { ledgerCapabilities, type LedgerSubject } from '@sendonce/core/conformance';
import { markRestored, postgresLedger } from '../../../src/ledgers/postgres.ts';
import { TABLES, type ClockedSchema } from './subject.ts';

/** A ledger on a server that can be made to forget: its tables are copied before the clock is moved, and put back as they were then. */
export async function amnesicSubject(schemas: () => Promise<ClockedSchema>): Promise<LedgerSubject> {
  const { pool, schema, elapse, giveBack } = await schemas();
  const ledger = postgresLedger({ client: pool, schema });
  const copies: { readonly untilMs: number; readonly tables: Readonly<Record<string, unknown>> }[] = [];
  let nowMs = 0;

  async function copy(): Promise<void> {
    const parts = TABLES.map((table) => `(SELECT json_agg(t) FROM ${schema}.${table} t) AS ${table}`);
    const { rows } = await pool.query<Record<string, unknown>>(`SELECT ${parts.join(', ')}`);
    copies.push({ untilMs: nowMs, tables: rows[0] ?? {} });
  }

  async function goBack(lastMs: number): Promise<void> {
    const kept = copies.findLast(({ untilMs }) => untilMs <= nowMs - lastMs)?.tables ?? {};
    for (const table of TABLES) await pool.query(`DELETE FROM ${schema}.${table}`);
    // The sums last: putting the others back counts them again.
    for (const table of TABLES) {
      if (table === 'sums') await pool.query(`DELETE FROM ${schema}.sums`);
      await pool.query(
        `INSERT INTO ${schema}.${table} SELECT * FROM json_populate_recordset(NULL::${schema}.${table}, coalesce($1::json, '[]'))`,
        [JSON.stringify(kept[table] ?? [])],
      );
    }
  }

  const loseMemory: LedgerSubject['loseMemory'] = async ({ lastMs, evict, quarantineMs }) => {
    if (lastMs > 0) await goBack(lastMs);
    const gone = `SELECT id FROM ${schema}.states WHERE id = ANY($1) AND settled_at IS NULL`;
    await pool.query(`DELETE FROM ${schema}.deliveries WHERE id IN (${gone})`, [evict]);
    await pool.query(`DELETE FROM ${schema}.states WHERE id IN (${gone})`, [evict]);
    await markRestored({ client: pool, schema }, quarantineMs);
  };

  return {
    ledger,
    loseMemory,
    capabilities: ledgerCapabilities({ ledger, loseMemory }),
    unitMs: 1_000,
    async elapse(ms) {
      await copy();
      nowMs += ms;
      await elapse(ms);
    },
    async close() {
      await ledger.close();
      await giveBack();
    },
  };
}
