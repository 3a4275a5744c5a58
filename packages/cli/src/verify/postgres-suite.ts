import { firstCall } from '../real/first-call.ts';
import { openPostgres, postgresPlace } from '../real/postgres-place.ts';
import { subjectOf } from './subject-of.ts';
import type { Suite } from './suite.ts';

/** A schema of its own for each law, dropped after it. */
export function postgresSuite(address: string): Omit<Suite, 'from' | 'flags'> {
  return {
    port: 'ledger',
    isOwn: false,
    async make() {
      const place = await firstCall(address, postgresPlace(address, { keep: false }));
      const ledger = await openPostgres(place.address);
      return subjectOf('ledger', { ledger, close: () => place.remove() }, 'postgres:');
    },
    close: () => Promise.resolve(),
  };
}
