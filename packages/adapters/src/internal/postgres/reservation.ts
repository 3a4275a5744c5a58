import { randomUUID } from 'node:crypto';
import type { Query } from './connection.ts';
import { CLOCK_MS } from './schema.ts';
import { parameters } from './text.ts';

/** How long others stand back at most, should this process die: longer than a call over a hundred thousand deliveries takes. */
const RESERVED_MS = 15_000;

/**
 * A call over many deliveries (the cancel of a running campaign) would lose every race against the workers that write one of them. Once
 * it has lost for a while it asks them to stand back. That is a courtesy: what is right rests on versions.
 */
export interface Reservation {
  /** Null: none was asked for. */
  readonly name: string | null;
  /** Takes it, or keeps it; another call's is waited for. */
  take(): Promise<void>;
  giveBack(): Promise<void>;
}

export function reservation(query: Query, schema: string): Reservation {
  let name: string | null = null;
  return {
    get name() {
      return name;
    },
    async take() {
      name ??= randomUUID();
      const { add, values } = parameters();
      await query(
        `UPDATE ${schema}.store SET reserved_by = ${add(name)}, reserved_until = ${CLOCK_MS} + ${RESERVED_MS}
         WHERE reserved_until <= ${CLOCK_MS} OR reserved_by = ${add(name)}`,
        values,
      );
    },
    async giveBack() {
      if (name === null) return;
      const { add, values } = parameters();
      await query(`UPDATE ${schema}.store SET reserved_until = 0 WHERE reserved_by = ${add(name)}`, values);
    },
  };
}
