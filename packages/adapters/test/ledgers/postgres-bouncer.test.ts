import { notificationId } from '@sendonce/core';
import { ledgerWalks } from '@sendonce/core/conformance';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresLedger } from '../../src/ledgers/postgres.ts';
import { noBouncer, startBouncer, type Bouncer } from './postgres/bouncer.ts';
import { server } from './postgres/server.ts';
import { clockedSchemas, subjectOn, type ClockedSchema } from './postgres/subject.ts';
import { expanded, LEASE, markOf, newNotification, settleOf, targetOf } from './support.ts';

describe.skipIf(noBouncer !== null)(
  `behind PgBouncer in transaction mode${noBouncer === null ? '' : ` (${noBouncer})`}`,
  () => {
    const running = server();
    const schemas = clockedSchemas();
    let bouncer: Bouncer;
    let behind: ClockedSchema;
    let pool: pg.Pool;

    beforeAll(async () => {
      const direct = await schemas();
      bouncer = await startBouncer((await running).port, {
        ledger: `SET search_path = ${direct.schema}_clock, pg_catalog`,
      });
      pool = new pg.Pool({ connectionString: bouncer.url('ledger'), max: 16 });
      behind = { ...direct, pool };
    });
    afterAll(async () => {
      await pool.end();
      await bouncer.stop();
    });

    test.for(ledgerWalks([1, 2, 3]).map((law) => [law.law, law] as const))('%s', async ([, law]) => {
      const subject = await subjectOn(() => Promise.resolve(behind));
      await law.check(subject).finally(() => subject.close());
    });

    test('sixteen workers on two connections send each delivery once', async () => {
      const ledgers = Array.from({ length: 16 }, () => postgresLedger({ client: pool, schema: behind.schema }));
      const ids = await expanded(ledgers[0]!, 160);
      const sent: string[] = [];
      await Promise.all(
        ledgers.map(async (ledger, w) => {
          for (let round = 0; ; round += 1) {
            const lease = { ...LEASE, owner: `w${w}`, requestId: `${w}-${round}` };
            const held = (await ledger.claim({ due: 10, lateMs: 0 }, lease)).flatMap((each) =>
              each.kind === 'granted' ? [each] : [],
            );
            if (held.length === 0) return;
            const marks = await ledger.mark(held.map(({ id, fence }) => markOf(id, fence)));
            for (const mark of marks) if (mark.kind === 'go') sent.push(mark.id);
            await ledger.settle(held.map(({ id, fence }) => settleOf(id, fence)));
          }
        }),
      );
      expect(sent.toSorted()).toEqual(ids.toSorted());
      await behind.giveBack();
    });

    test('a publish joins the transaction of the application', async () => {
      const ledger = postgresLedger({ client: pool, schema: behind.schema });
      const client = await pool.connect();
      for (const end of ['ROLLBACK', 'COMMIT'] as const) {
        await client.query('BEGIN');
        const id = notificationId('default', 'order', end);
        await ledger.accept([newNotification(id, end, [targetOf(1)])], { transaction: client });
        await client.query(end);
      }
      client.release();
      expect((await ledger.count()).notifications.expanding).toBe(1);
      await behind.giveBack();
    });
  },
);
