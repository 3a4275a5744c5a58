import type { DeliveryRecord } from '@sendonce/core';
import { EXIT } from '../../command-error.ts';
import { parseCount } from '../../flags/parse-values.ts';
import { atDesk, type Desk, type DeskFlags } from '../desk.ts';
import type { FilterFlags } from '../flags.ts';
import { letterJson } from '../letter-json.ts';
import {
  DEAD_LETTER_STATES,
  parseFilter,
  parseStates,
  type DeadLetterState,
  type LetterFilter,
} from '../letter-filter.ts';
import { letters } from '../letters.ts';
import { columns, cut, relative } from '../words.ts';
import { cursorText, parseCursor, type ListCursor } from './cursor.ts';

export interface ListFlags extends DeskFlags, FilterFlags {
  readonly state?: string | undefined;
  readonly replayed?: boolean | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

interface Asked {
  readonly filter: LetterFilter;
  readonly states: readonly DeadLetterState[];
  readonly withReplayed: boolean;
  readonly limit: number;
  readonly from: ListCursor | null;
}

/** What fits on a screen or two; a program wants all of it. */
const ROWS = 50;

/** Runs `notify dlq list`; answers its exit code. `again`: the command as it was given, without its cursor. */
export function runList(flags: ListFlags, again: string): Promise<number> {
  const asked: Asked = {
    filter: parseFilter(flags, Date.now()),
    states: flags.state === undefined ? DEAD_LETTER_STATES : parseStates('state', flags.state, DEAD_LETTER_STATES),
    withReplayed: flags.replayed === true,
    limit:
      flags.limit === undefined
        ? flags.json === true
          ? Infinity
          : ROWS
        : parseCount('limit', flags.limit, 1, 1_000_000_000),
    from: flags.cursor === undefined ? null : parseCursor(flags.cursor),
  };
  return atDesk(flags, async (desk) => {
    const { terminal, isJson } = desk;
    const rows: string[][] = [];
    const more = await each(desk, asked, (record) => {
      if (isJson)
        terminal.out(`${JSON.stringify({ schema: 'sendonce.dead-letter/1', ...letterJson(record, desk.masks) })}\n`);
      else rows.push(rowOf(record, desk));
    });
    if (!isJson) terminal.out(tableText(rows, desk));
    if (more !== null) terminal.err(`More: ${again} --cursor '${cursorText(more)}'\n`);
    return EXIT.pass;
  });
}

/** Calls for each that is asked for; answers where to go on, or null at the end. */
async function each(
  { ledger }: Desk,
  { filter, states, withReplayed, limit, from }: Asked,
  show: (record: DeliveryRecord) => void,
): Promise<ListCursor | null> {
  const begin: string | null = from?.page ?? null;
  let page = begin;
  let left = limit;
  let last: ListCursor | null = null;
  for await (const { items, cursor } of letters(ledger, { filter, states, ids: [], cursor: begin })) {
    for (const record of page === begin && from !== null ? after(items, from.after) : items) {
      if (!withReplayed && record.replacedBy !== null) continue;
      if (left === 0) return last;
      show(record);
      left -= 1;
      last = { page, after: record.id };
    }
    page = cursor;
  }
  return null;
}

/** What comes after this one; all of them when it is not there any more (it was sent after all), which repeats and leaves out nothing. */
function after(items: readonly DeliveryRecord[], id: string): readonly DeliveryRecord[] {
  return items.slice(items.findIndex((record) => record.id === id) + 1);
}

function rowOf(record: DeliveryRecord, { masks, now }: Desk): string[] {
  const { target, reason, settledAt, updatedAt } = record;
  return [
    record.id,
    record.replacedBy === null ? record.state : `${record.state}, replayed`,
    relative(settledAt ?? updatedAt, now()),
    record.type,
    target.channel,
    masks.address(target.to),
    record.provider,
    reason === null ? '' : cut(masks.text(reason, target), 70),
  ];
}

function tableText(rows: readonly string[][], { terminal }: Desk): string {
  if (rows.length === 0) return 'No dead letter fits.\n';
  const [head = '', ...lines] = columns([
    ['delivery', 'state', 'died', 'type', 'channel', 'to', 'provider', 'reason'],
    ...rows,
  ]);
  return `${[terminal.paint.dim(head), ...lines].join('\n')}\n`;
}
