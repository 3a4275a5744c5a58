import { isEpochChange } from '../ahead/changes.ts';
import type { Known } from '../ahead/known.ts';
import { plain } from '../ahead/plain.ts';
import type { Run } from '../ahead/run.ts';
import type { DeliveryEntry } from '../ahead/run-deliveries.ts';
import type { WriteOptions } from '../ahead/transact.ts';
import type { Argument } from './client.ts';
import { changedRow, madeRow } from './delivery-rows.ts';
import { packedLists, type Cell, type Lists } from './lists.ts';
import { buriedLists, notificationLists, type TombstoneOptions } from './notification-rows.ts';
import { otherLists, whoOf } from './other-rows.ts';
import { MOST_STALE_MS } from './remembered.ts';
import { sumOf, sumsOf, talliesOf, type Tally } from './tallies.ts';

export interface FromHand {
  /** The call began with what this process has in hand. Null: it has read. */
  readonly fromHand: {
    /** The memory that the data were last used in, as it stood in them. */
    readonly identity: string;
    /** Somebody has opted out of something, so the script has to ask who. */
    readonly asksOptOuts: boolean;
  } | null;
}

/** A process that slept longer than this between reading and writing reads again: its moment is over. */
export const FRESH_MS = 30_000;
/** What one script writes at most, so that nobody waits long for it: changed deliveries, and characters of them. */
const MOST_DELIVERIES = 1_000;
const MOST_CHARACTERS = 4_000_000;

/**
 * The arguments of the scripts that write a run, one after the other: mostly one. A call over many deliveries that exist already is
 * written in parts, as if it had been several calls, each on the condition of what it looked at; notifications and all else come with the
 * last part. When a part is refused the call begins again and finds what it has done already, as after a lost reply.
 */
export function writesOf(
  run: Run,
  known: Known,
  {
    speaking,
    reservedBy,
    fromHand,
    contentRetentionMs,
    ...tombstones
  }: WriteOptions & FromHand & { readonly contentRetentionMs: number } & TombstoneOptions,
): readonly (readonly Argument[])[] {
  const entries = [...run.deliveries.entries()];
  const alone = new Set(speaking);
  const looked = entries.filter(({ id, fact, isDirty }) => fact !== null && !isDirty && !alone.has(id));
  const made = entries.filter(({ fact, isDirty }) => fact === null && isDirty);
  const changed = entries.filter(({ fact, isDirty, isRemoved }) => fact !== null && isDirty && !isRemoved);
  const removed = entries.filter(({ isRemoved }) => isRemoved);
  const taken = Array.from(run.evidence.taken, (key) => [plain(key), known.values('kept', plain(key))?.length ?? 0]);
  const spoken = new Map<string, Tally>();

  const parts = partsOf(changed, contentRetentionMs);
  return parts.map((part, i) => {
    const isLast = i === parts.length - 1;
    const mine = isLast ? [...part.entries, ...made, ...removed] : part.entries;
    const tally = talliesOf(mine);
    const ids = new Set(mine.map(({ id }) => id));
    const lists: Lists = {
      alone: looked.map(({ id, fact }) => [id, fact?.version ?? '']),
      changed: part.rows,
      free: fromHand?.asksOptOuts === true ? part.entries.filter(isMarked).map(({ record }) => [whoOf(record)]) : [],
      learned: run.deliveries.learned.filter(([, id]) => ids.has(id)).map(([key, id]) => [plain(key), id]),
      taken,
      sums: sumsOf(mine, isLast ? run.refusedMoves : 0),
      ...(isLast
        ? {
            made: made.map((entry) => madeRow(entry, contentRetentionMs)),
            gone: removed.map(({ id, fact, record }) => [id, fact?.version ?? '', record.notificationId]),
            ...otherLists(run, known),
          }
        : { notifications: Array.from(tally, ([id, each]) => [id, '', '', '', '', '', '', each.open, each.letters]) }),
    };
    if (isLast) Object.assign(lists, notificationLists(run, tally, spoken), buriedLists(run, tombstones));
    else for (const [id, each] of tally) spoken.set(id, sumOf(spoken.get(id), each));
    const head = headOf(run, known, { reservedBy, isLast, contentRetentionMs, fromHand });
    return [...head, ...packedLists(lists)];
  });
}

function headOf(
  run: Run,
  known: Known,
  about: FromHand & {
    readonly reservedBy: string | null;
    readonly isLast: boolean;
    readonly contentRetentionMs: number;
  },
): readonly Cell[] {
  const { store } = known;
  const { gates } = run;
  // A late copy of an opt-out or a block must not undo what came after it.
  const restsOnGates = gates.wereAsked || gates.suppressions.size > 0 || gates.blocks.size > 0;
  const { changedAt, quietUntil, isReckoned, last } = run.epochs.saved;
  const nowMs = store?.nowMs ?? 0;
  const isNewEpoch = about.isLast && isEpochChange(run, known);
  return [
    store?.key ?? '',
    store?.version ?? '',
    store?.identityNow ?? '',
    restsOnGates ? (store?.gates ?? '') : '',
    nowMs + (about.fromHand === null ? FRESH_MS : MOST_STALE_MS),
    about.reservedBy ?? '',
    about.isLast ? '1' : '0',
    about.contentRetentionMs,
    // One above the fence that this call may have given out.
    ...(isNewEpoch ? [changedAt ?? '-', quietUntil, isReckoned ? '1' : '0', last + 1] : ['', '', '', '']),
    ...(about.fromHand === null ? ['', ''] : [nowMs, about.fromHand.identity]),
  ];
}

function isMarked({ fact, record }: DeliveryEntry): boolean {
  return record.state === 'dispatching' && fact?.record?.state !== 'dispatching';
}

interface Part {
  readonly entries: readonly DeliveryEntry[];
  readonly rows: readonly string[];
}

function partsOf(changed: readonly DeliveryEntry[], contentRetentionMs: number): readonly Part[] {
  const parts: { entries: DeliveryEntry[]; rows: string[] }[] = [{ entries: [], rows: [] }];
  let characters = 0;
  for (const entry of changed) {
    const row = changedRow(entry, contentRetentionMs);
    const size = row.length;
    let part = parts.at(-1) as (typeof parts)[number];
    if (part.rows.length > 0 && (part.rows.length >= MOST_DELIVERIES || characters + size > MOST_CHARACTERS)) {
      parts.push((part = { entries: [], rows: [] }));
      characters = 0;
    }
    characters += size;
    part.entries.push(entry);
    part.rows.push(row);
  }
  return parts;
}
