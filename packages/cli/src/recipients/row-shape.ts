export type Fields = Readonly<Record<string, unknown>>;

/** What the rows of a file are made into. */
export interface RowShape<Row> {
  /** The names of the columns as the rows use them; none: the file is empty. @throws SendonceError when they cannot be used. */
  columns(names: readonly string[]): readonly string[];
  row(line: number, fields: Fields): Row;
  invalid(line: number, reason: string): Row;
  /** Whether a line inside the quotes of the one above is a row of its own, so that those quotes were never meant to go on. */
  standsAlone(row: Row): boolean;
  /** A row with fewer fields than the header is broken; else the missing ones are empty. */
  readonly isExact: boolean;
  /** A JSON object as a line may hold it. */
  readonly example: string;
}
