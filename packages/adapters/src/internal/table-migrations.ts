/** The tables of a place beside the ledger, and how they came about. */
export interface TableMigrations {
  /** The name of the first table; the others' begin so. */
  readonly table: string;
  /**
   * Each leads from the version before it to the next. Never change one that was released; add another. The first also takes over what is
   * there without a version.
   */
  readonly steps: readonly string[];
}

/**
 * One statement that brings the tables up to date, whole or not at all, and keeps their version in a table beside them. A second run
 * changes nothing, and of several at once one does it while the others wait; tables of a later release are left as they are.
 */
export function tableMigrationSql({ table, steps }: TableMigrations): string {
  const versions = `${table}_version`;
  const texts = steps.map(
    (step, i) => `IF at < ${i + 1} THEN
${step.trim()}
INSERT INTO ${versions} (version) VALUES (${i + 1});
END IF;
`,
  );
  return `DO $migration$
DECLARE at integer;
BEGIN
PERFORM pg_advisory_xact_lock(hashtextextended('sendonce migration', 0));
${inSchema(table)}CREATE TABLE IF NOT EXISTS ${versions} (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
SELECT coalesce(max(version), 0) INTO at FROM ${versions};
${texts.join('')}END $migration$;
`;
}

/** Not `IF NOT EXISTS`, for which a user may need the right to make what is there already. */
function inSchema(table: string): string {
  const [schema = '', plain] = table.split('.');
  return plain === undefined ? '' : `IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;\n`;
}
