import type { OutcomeRow } from './outcome-table.ts';

/** Neighbours that say the same. */
export interface OutcomeGroup extends Pick<OutcomeRow, 'is' | 'source'> {
  /** None: any. */
  readonly statuses: readonly number[];
  readonly codes: readonly string[];
}

/** A table for the eyes: rows that differ in their code alone, or in their status alone, in one. The order stays, since the first that fits decides. */
export function grouped(rows: readonly OutcomeRow[]): readonly OutcomeGroup[] {
  const groups: OutcomeGroup[] = [];
  for (const { status, code, is, source } of rows) {
    const statuses = status === undefined ? [] : [status];
    const codes = code === undefined ? [] : [code];
    const last = groups.at(-1);
    const isLike = last !== undefined && last.is === is && last.source === source;
    if (isLike && code !== undefined && last.codes.length > 0 && String(last.statuses) === String(statuses))
      groups.splice(-1, 1, { ...last, codes: [...last.codes, code] });
    else if (isLike && code === undefined && last.codes.length === 0 && statuses.length > 0 && last.statuses.length > 0)
      groups.splice(-1, 1, { ...last, statuses: [...last.statuses, ...statuses] });
    else groups.push({ statuses, codes, is, source });
  }
  return groups;
}
