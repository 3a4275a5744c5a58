import { parse } from 'csv-parse/sync';

export interface CsvRecord {
  readonly fields: readonly string[];
  /** The line that it ends on, from 1. */
  readonly lines: number;
}

/** Null when the quotes do not add up. */
export function csvRecords(text: string, delimiter: string): CsvRecord[] | null {
  try {
    const records = parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: '\n',
    }) as unknown as readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[];
    return records
      .filter(({ record }) => record.some((field) => field.trim() !== ''))
      .map(({ record, info }) => ({ fields: record, lines: info.lines }));
  } catch {
    return null;
  }
}
