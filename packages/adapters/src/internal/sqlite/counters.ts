import type { Connection } from './database.ts';

/** Sums that are kept instead of counted: a transaction adds its differences at its end. */
export interface Counters {
  /** A new transaction: what one that failed left behind is dropped. */
  begin(): void;
  add(name: string, change: number): void;
  flush(): void;
}

export function counters(connection: Connection): Counters {
  const changes = new Map<string, number>();
  return {
    begin() {
      changes.clear();
    },
    add(name, change) {
      changes.set(name, (changes.get(name) ?? 0) + change);
    },
    flush() {
      for (const [name, change] of changes)
        if (change !== 0)
          connection.run(
            'INSERT INTO sendonce_counters (name, n) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n',
            name,
            change,
          );
      changes.clear();
    },
  };
}

export function readCounters(connection: Connection): ReadonlyMap<string, number> {
  const rows = connection.all<{ name: string; n: number }>('SELECT name, n FROM sendonce_counters');
  return new Map(rows.map(({ name, n }) => [name, n]));
}
