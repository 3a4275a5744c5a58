import type { Migrations, NotifierConfig } from '@sendonce/core';

/** A store of a config that is prepared by a step of its own. */
export interface Migratable {
  /** `ledger`, `destinations`, or `inbox of PROVIDER`. */
  readonly name: string;
  readonly store: Migrations;
}

/** What of a config has to be prepared, in the order in which it is. */
export function migratable({ ledger, destinations, channels }: NotifierConfig): readonly Migratable[] {
  const inboxes = Object.values(channels).flatMap(({ providers }) =>
    providers.map((provider) => ({ name: `inbox of ${provider.name}`, store: provider })),
  );
  return [{ name: 'ledger', store: ledger }, { name: 'destinations', store: destinations }, ...inboxes].flatMap(
    ({ name, store }) => (isMigrations(store) ? [{ name, store }] : []),
  );
}

function isMigrations(store: object | undefined): store is Migrations {
  return store !== undefined && 'migrate' in store && 'migrationSql' in store;
}
