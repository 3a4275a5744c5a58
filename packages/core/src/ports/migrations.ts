/** A ledger whose store is prepared by a step of its own, before the workers of a release start: `notify migrate`. */
export interface Migrations {
  /** Brings the store up to date. A second call changes nothing; of several at once one does it while the others wait. */
  migrate(): Promise<void>;
  /** The same as a text, for another tool. */
  migrationSql(): string;
}
