import type { DeliveryRecord, Ledger } from '@sendonce/core';
import { EXIT } from '../../command-error.ts';
import { parseCount } from '../../flags/parse-values.ts';
import { answering } from '../answering.ts';
import { atDesk, type Desk } from '../desk.ts';
import type { ListFlags } from '../flags.ts';
import { letterJson } from '../letter-json.ts';
import {
  DEAD_LETTER_STATES,
  LISTED_STATES,
  parseFilter,
  parseStates,
  type LetterFilter,
  type ListedState,
} from '../letter-filter.ts';
import { letters } from '../letters.ts';
import { ledgerBlock } from '../which-ledger.ts';
import { columns, cut, plural, relative } from '../words.ts';
import { cursorText, parseCursor, type ListCursor } from './cursor.ts';

interface Asked {
  readonly filter: LetterFilter;
  readonly states: readonly ListedState[];
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
    states: flags.state === undefined ? DEAD_LETTER_STATES : parseStates('state', flags.state, LISTED_STATES),
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
    const more = await each(desk, asked, (record, key) => {
      if (isJson) terminal.out(`${JSON.stringify(lineJson(record, key, desk))}\n`);
      else rows.push(rowOf(record, key, desk));
    });
    if (!isJson) terminal.out(tableText(rows, desk));
    if (more !== null) terminal.err(`More: ${again} --cursor '${cursorText(more)}'\n`);
    else if (flags.state === undefined) terminal.err(await expiredNote(desk));
    return EXIT.pass;
  });
}

/** They are no dead letters, because nobody can send them again as they are; whoever looks for what is missing has to hear of them. */
async function expiredNote({ ledger, command }: Desk): Promise<string> {
  const { expired } = (await answering('count', ledger.count())).deliveries;
  if (expired === 0) return '';
  const words = plural(expired, 'delivery', 'deliveries');
  return `Not listed: ${words} of this ledger that expired unsent: ${command('dlq list --state expired')}\n`;
}

/** Calls for each that is asked for; answers where to go on, or null at the end. */
async function each(
  { ledger, config }: Desk,
  { filter, states, withReplayed, limit, from }: Asked,
  show: (record: DeliveryRecord, key: string) => void,
): Promise<ListCursor | null> {
  const begin: string | null = from?.page ?? null;
  let page = begin;
  let left = limit;
  let last: ListCursor | null = null;
  for await (const { items, cursor } of letters(ledger, {
    filter,
    states,
    ids: [],
    cursor: begin,
    withReplaced: withReplayed,
    config,
  })) {
    const keys = await keysOf(ledger, items);
    for (const record of page === begin && from !== null ? after(items, from.after) : items) {
      if (left === 0) return last;
      show(record, keys.get(record.notificationId) ?? '');
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

/** The key that its producer gave tells letters apart whose addresses look alike where they are hidden. */
async function keysOf(ledger: Ledger, items: readonly DeliveryRecord[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(items.map(({ notificationId }) => notificationId))];
  const found = ids.length === 0 ? [] : await answering('find notifications', ledger.findNotifications(ids));
  return new Map(found.flatMap((each) => (each === null ? [] : [[each.id, each.key] as const])));
}

function rowOf(record: DeliveryRecord, key: string, { masks, now }: Desk): string[] {
  const { target, reason, settledAt, updatedAt } = record;
  return [
    record.id,
    record.replacedBy === null ? record.state : `${record.state}, replayed`,
    relative(settledAt ?? updatedAt, now()),
    record.type,
    target.channel,
    masks.address(target.to),
    cut(masks.text(key, target), 24),
    record.provider,
    reason === null ? '' : cut(masks.text(reason, target), 70),
  ];
}

function lineJson(record: DeliveryRecord, key: string, { masks, ledger }: Desk): object {
  return {
    schema: 'sendonce.dead-letter/1',
    ...letterJson(record, masks),
    key: masks.text(key, record.target),
    ledger: ledger.capabilities.file,
  };
}

function tableText(rows: readonly string[][], { terminal, ledger }: Desk): string {
  const where = ledgerBlock(ledger);
  if (rows.length === 0) return `${['No dead letter fits.', ...where].join('\n')}\n`;
  const [head = '', ...lines] = columns([
    ['delivery', 'state', 'died', 'type', 'channel', 'to', 'key', 'provider', 'reason'],
    ...rows,
  ]);
  return `${[...where, terminal.paint.dim(head), ...lines].join('\n')}\n`;
}
