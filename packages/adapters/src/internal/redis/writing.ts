import { isDeadLetter, type DeliveryRecord } from '@sendonce/core';
import { addUp, keyOfEvidence, messageKey, openChange, watchAt, workAt } from '@sendonce/core/records';
import { isEpochChange } from '../ahead/changes.ts';
import type { Known } from '../ahead/known.ts';
import { plain } from '../ahead/plain.ts';
import type { Run } from '../ahead/run.ts';
import type { DeliveryEntry } from '../ahead/run-deliveries.ts';
import type { WriteOptions } from '../ahead/transact.ts';
import { attentionOf } from '../sqlite/attention.ts';
import { NOT_READ } from '../sqlite/delivery-row.ts';
import { eraseAt } from '../sqlite/retention.ts';
import { LISTS, sumOf, type Cell, type Lists, type Tally } from './lists.ts';
import { packedFixed, packedMessages, packedState } from './packed.ts';
import { SEPARATOR } from './script.ts';
import { notificationLists } from './write-notifications.ts';

/** A process that slept longer than this between reading and writing reads again: its moment is over. */
const FRESH_MS = 30_000;
/** What one script writes at most, so that nobody waits long for it: changed deliveries, and characters of them. */
const MOST_DELIVERIES = 1_000;
const MOST_CHARACTERS = 4_000_000;

/**
 * The arguments of the scripts that write a run, one after the other: mostly one. A call over many deliveries that exist already is
 * written in parts, as if it had been several calls, each on the whole condition; all else that it changes comes with the last part. When
 * a part is refused the call begins again and finds what it has done already, as after a lost reply.
 */
export function writesOf(
  run: Run,
  known: Known,
  { speaking, reservedBy, contentRetentionMs }: WriteOptions & { readonly contentRetentionMs: number },
): readonly (readonly Cell[])[] {
  const entries = [...run.deliveries.entries()];
  const alone = new Set(speaking);
  const looked = entries.filter(({ id, fact, isDirty }) => fact !== null && !isDirty && !alone.has(id));
  const made = entries.filter(({ fact, isDirty }) => fact === null && isDirty);
  const changed = entries.filter(({ fact, isDirty }) => fact !== null && isDirty);
  const taken = Array.from(run.evidence.taken, (key) => [plain(key), known.values('kept', plain(key))?.length ?? 0]);
  const spoken = new Map<string, Tally>();

  const parts = partsOf(changed, contentRetentionMs);
  return parts.map((part, i) => {
    const isLast = i === parts.length - 1;
    const mine = isLast ? [...part.entries, ...made] : part.entries;
    const tally = talliesOf(mine);
    const ids = new Set(mine.map(({ id }) => id));
    const lists: Lists = {
      alone: looked.map(({ id, fact }) => [id, fact?.version ?? '']),
      changed: part.rows,
      learned: run.deliveries.learned.filter(([, id]) => ids.has(id)).map(([key, id]) => [plain(key), id]),
      taken,
      sums: sumsOf(mine, isLast ? run.refusedMoves : 0),
      ...(isLast
        ? { made: made.map((entry) => madeRow(entry, contentRetentionMs)), ...restOf(run, known) }
        : { notifications: Array.from(tally, ([id, each]) => [id, '', '', '', '', '', '', each.open, each.letters]) }),
    };
    if (isLast) Object.assign(lists, notificationLists(run, tally, spoken));
    else for (const [id, each] of tally) spoken.set(id, sumOf(spoken.get(id), each));
    const head = headOf(run, known, { reservedBy, isLast, contentRetentionMs });
    return [...head, ...flat(lists)];
  });
}

function headOf(
  run: Run,
  known: Known,
  about: { readonly reservedBy: string | null; readonly isLast: boolean; readonly contentRetentionMs: number },
): readonly Cell[] {
  const { store } = known;
  const { gates } = run;
  // A late copy of an opt-out or a block must not undo what came after it.
  const restsOnGates = gates.wereAsked || gates.suppressions.size > 0 || gates.blocks.size > 0;
  const { changedAt, quietUntil, isReckoned, last } = run.epochs.saved;
  const isNewEpoch = about.isLast && isEpochChange(run, known);
  return [
    store?.key ?? '',
    store?.version ?? '',
    store?.identityNow ?? '',
    restsOnGates ? (store?.gates ?? '') : '',
    (store?.nowMs ?? 0) + FRESH_MS,
    about.reservedBy ?? '',
    about.isLast ? '1' : '0',
    about.contentRetentionMs,
    // One above the fence that this call may have given out.
    ...(isNewEpoch ? [changedAt ?? '-', quietUntil, isReckoned ? '1' : '0', last + 1] : ['', '', '', '']),
  ];
}

interface Part {
  readonly entries: readonly DeliveryEntry[];
  readonly rows: readonly (readonly Cell[])[];
}

function partsOf(changed: readonly DeliveryEntry[], contentRetentionMs: number): readonly Part[] {
  const parts: { entries: DeliveryEntry[]; rows: (readonly Cell[])[] }[] = [{ entries: [], rows: [] }];
  let characters = 0;
  for (const entry of changed) {
    const row = changedRow(entry, contentRetentionMs);
    const size = row.reduce<number>((sum, cell) => sum + String(cell).length, 0);
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

/** As `LISTS.changed`. */
function changedRow({ id, fact, record, isFrozenNow, story }: DeliveryEntry, contentRetentionMs: number): Cell[] {
  const before = fact?.record ?? record;
  const eraseBefore = eraseAt(before, contentRetentionMs);
  return [
    ...[id, fact?.version ?? '', packedState(record)],
    moved(workAt(before), workAt(record)),
    moved(watchAt(before), watchAt(record)),
    moved(eraseBefore, eraseAt(record, contentRetentionMs)),
    ...[attentionOf(before) ?? '', attentionOf(record) ?? ''],
    before.attempts === record.attempts ? '' : packedMessages(record),
    messageOf(record, isFrozenNow),
    story,
  ];
}

/** As `LISTS.made`. */
function madeRow({ id, record, isFrozenNow, story }: DeliveryEntry, contentRetentionMs: number): Cell[] {
  const { notificationId, target } = record;
  return [
    ...[id, notificationId, plain(target.recipientId), packedFixed(record), JSON.stringify(target.data)],
    packedState(record),
    ...[workAt(record), watchAt(record), eraseAt(record, contentRetentionMs)].map((at) => at ?? ''),
    attentionOf(record) ?? '',
    packedMessages(record),
    messageOf(record, isFrozenNow),
    story,
  ];
}

function moved(before: number | null, after: number | null): Cell {
  return before === after ? '' : (after ?? '-');
}

function messageOf({ message }: DeliveryRecord, isFrozenNow: boolean): string {
  return isFrozenNow && message !== NOT_READ ? JSON.stringify(message) : '';
}

function talliesOf(entries: readonly DeliveryEntry[]): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { fact, record } of entries) {
    const before = fact?.record ?? null;
    const change = { open: openChange(before, record), letters: lettersIn(record) - lettersIn(before) };
    if (change.open !== 0 || change.letters !== 0)
      tallies.set(record.notificationId, sumOf(tallies.get(record.notificationId), change));
  }
  return tallies;
}

/** A notification that has dead letters keeps what its producer gave, because a replay may need it. */
function lettersIn(record: DeliveryRecord | null): number {
  return record !== null && isDeadLetter(record.state) ? 1 : 0;
}

function sumsOf(entries: readonly DeliveryEntry[], refusedMoves: number): (readonly Cell[])[] {
  const sums = new Map<string, number>();
  const add = (name: string, change: number): void => void sums.set(name, (sums.get(name) ?? 0) + change);
  for (const { fact, record } of entries)
    addUp(
      { delivery: (state, change) => add(`d:${state}`, change), assumed: (change) => add('assumed', change) },
      fact?.record ?? null,
      record,
    );
  add('refused', refusedMoves);
  return [...sums].filter(([, change]) => change !== 0);
}

/** What belongs to no delivery. */
function restOf(run: Run, known: Known): Lists {
  const { gates, evidence, claim, strays } = run;
  return {
    kept: evidence.kept().map((each) => {
      const { deliveryId, provider, providerMessageId, kind } = each;
      const message = providerMessageId === null ? '' : plain(messageKey(provider, providerMessageId));
      const was = message === '' ? [] : (known.ids('message', message) ?? []);
      const isAbsent = deliveryId !== null && known.delivery(deliveryId) === null;
      const name = [provider, providerMessageId ?? '', kind].map(plain).join(SEPARATOR);
      const absent = isAbsent ? plain(deliveryId) : '';
      return [plain(keyOfEvidence(each)), absent, message, was.join(SEPARATOR), name, JSON.stringify(each)];
    }),
    suppressions: Array.from(gates.suppressions.values(), ({ tenant, recipientId, topic, channel, ...rest }) => [
      [plain(tenant), plain(recipientId)].join(SEPARATOR),
      [plain(topic), channel].join(SEPARATOR),
      rest.suppressed ? JSON.stringify([rest.by, rest.why]) : '',
    ]),
    blocks: Array.from(gates.blocks.values(), ({ scope, blocked, recheckMs, by, why }) => [
      plain(scope),
      blocked ? [recheckMs, JSON.stringify([by, why])].join(SEPARATOR) : '',
    ]),
    claims: claim === null ? [] : [[plain(claim.requestId), claim.untilMs, JSON.stringify(claim.ids)]],
    strays: Array.from(strays, (id) => [plain(id)]),
    damaged: Array.from(known.damaged.deliveries, (id) => [id]),
    damagedNotifications: Array.from(known.damaged.notifications, (id) => [id]),
  };
}

function flat(lists: Lists): readonly Cell[] {
  const cells: Cell[] = [];
  for (const name of Object.keys(LISTS) as (keyof typeof LISTS)[]) {
    const rows = lists[name] ?? [];
    cells.push(rows.length);
    for (const row of rows) cells.push(...row);
  }
  return cells;
}
