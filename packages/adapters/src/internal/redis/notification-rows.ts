import { notificationWorkAt } from '@sendonce/core/records';
import type { Run } from '../ahead/run.ts';
import { EXPANDED, type Entry } from '../ahead/run-notifications.ts';
import { notificationBodyOf } from '../sqlite/notification-row.ts';
import type { Cell, Lists } from './lists.ts';
import type { Tally } from './tallies.ts';

/**
 * Notifications and their pages. `tally`: how the deliveries of this part change their numbers; `spoken`: what earlier parts have
 * written of that already.
 */
export function notificationLists(
  { notifications }: Run,
  tally: ReadonlyMap<string, Tally>,
  spoken: ReadonlyMap<string, Tally>,
): Lists {
  const { opened, told } = notifications;
  const entries = new Map(Array.from(notifications.entries(), (entry) => [entry.id, entry]));
  const isTold = new Set(told);
  const numbers = (id: string): readonly Cell[] => [
    (opened.get(id) ?? 0) - (spoken.get(id)?.open ?? 0),
    tally.get(id)?.letters ?? 0,
  ];
  const dirty = [...entries.values()].filter((entry) => entry.isDirty && entry.fact !== null).map(({ id }) => id);
  const touched = new Set([...opened.keys(), ...tally.keys(), ...told, ...dirty]);
  for (const { id, fact } of entries.values()) if (fact === null) touched.delete(id);
  return {
    notifications: Array.from(touched, (id) => {
      const entry = entries.get(id);
      const isWhole = entry?.isDirty === true && !isTombstone(entry.record);
      const whole = isWhole ? changedCells(entry) : ['', '', '', ''];
      const version = entry?.isDirty === true ? (entry.fact?.version ?? '') : '';
      return [id, version, isTold.has(id) ? '1' : '', ...whole, ...numbers(id)];
    }),
    notificationsMade: [...entries.values()]
      .filter(({ fact }) => fact === null)
      .map((entry) => [...madeCells(entry), ...numbers(entry.id)]),
    ...pageLists(notifications),
  };
}

export interface TombstoneOptions {
  readonly retentionMs: number;
  readonly tombstoneRetentionMs: number | null;
}

/** Those of which a tombstone is left; from when on its time counts is told as later than now, ms; '': it stays. */
export function buriedLists(
  { notifications }: Run,
  { retentionMs, tombstoneRetentionMs }: TombstoneOptions,
): Pick<Lists, 'buried'> {
  const laterMs = tombstoneRetentionMs === null ? '' : tombstoneRetentionMs - retentionMs;
  const buried = [...notifications.entries()].filter(({ record, isDirty }) => isDirty && isTombstone(record));
  return { buried: buried.map(({ id, record }) => [id, notificationBodyOf(record), laterMs]) };
}

function isTombstone({ forgottenAt }: Entry['record']): boolean {
  return forgottenAt !== undefined;
}

function changedCells({ record }: Entry): readonly Cell[] {
  return [record.state, record.sealed ? '1' : '0', notificationWorkAt(record) ?? '-', notificationBodyOf(record)];
}

function madeCells({ record }: Entry): readonly Cell[] {
  const { id, state, sealed, recipients, data } = record;
  const workAt = notificationWorkAt(record) ?? '';
  return [
    ...[id, state, sealed ? '1' : '0', recipients, workAt],
    ...[notificationBodyOf(record), JSON.stringify(data) ?? ''],
  ];
}

function pageLists({ pages, dropped }: Run['notifications']): Lists {
  const isOwn = (notification: string, page: number): boolean => pages.get(notification)?.has(page) === true;
  const gone = new Set(dropped.map(([notification, page]) => `${notification} ${page}`));
  return {
    pages: [...pages].flatMap(([notification, own]) =>
      Array.from(own, ([page, { targets, fingerprint, content }]) => [
        ...[notification, page, targets.length, fingerprint],
        gone.has(`${notification} ${page}`) ? EXPANDED : content,
      ]),
    ),
    lastPages: Array.from(pages, ([notification, own]) => [notification, Math.max(...own.keys())]),
    expanded: dropped.filter(([notification, page]) => !isOwn(notification, page)),
  };
}
