import {
  DELIVERY_STATES,
  NOTIFICATION_STATES,
  type Counts,
  type DeliveryFilter,
  type DeliveryRecord,
  type Ledger,
  type Page,
} from '@sendonce/core';
import { orUndefined } from '../ahead/facts.ts';
import { plain } from '../ahead/plain.ts';
import { isListedByAttention } from '../sqlite/attention.ts';
import { FORGOTTEN } from '../sqlite/notification-row.ts';
import { storyOf } from '../sqlite/story.ts';
import type { Send } from './connection.ts';
import { COUNT, FIND, FIND_NOTIFICATIONS, LIST, LIST_NOTIFICATIONS, STORY, WALK } from './look-scripts.ts';
import { deliveryOf, notificationRecordOf, type Row } from './packed.ts';
import { SEPARATOR, type Script } from './script.ts';

type Reading = Pick<Ledger, 'find' | 'findNotifications' | 'list' | 'listNotifications' | 'count' | 'history'>;
type Listed = readonly [now: string, next: string, rows: readonly Row[]];
const DEFAULT_LIMIT = 100;

/** Rows one script at a time. `after`: '' from the start; `next`: '' at the end. */
interface Source {
  fetch(after: string): Promise<Listed>;
  /** Where to go on after this row. */
  placeOf(row: Row): string;
}

/** What cannot be read is left out of what is found and listed: `count` tells of it. */
export function reading(send: Send): Reading {
  async function found<T>(script: Script, ids: readonly string[], make: (row: Row) => T): Promise<(T | null)[]> {
    const wanted = Array.from(new Set(ids), plain);
    const rows = wanted.length === 0 ? [] : ((await send(script, wanted)) as Row[]);
    const byId = new Map(rows.map((row) => [row[0], row]));
    return ids.map((id) => {
      const row = byId.get(plain(id));
      return row === undefined ? null : (orUndefined(() => make(row)) ?? null);
    });
  }

  const ordered = (zset: string): Source => ({
    fetch: async (after) => (await send(LIST, [zset, after])) as Listed,
    placeOf: (row) => row[0] ?? '',
  });
  const walk: Source = {
    async fetch(after) {
      const [notification = '', id = ''] = after.split(SEPARATOR);
      return (await send(WALK, [notification, id])) as Listed;
    },
    placeOf: (row) => [row[2], row[0]].join(SEPARATOR),
  };
  const notifications: Source = {
    fetch: async (after) => (await send(LIST_NOTIFICATIONS, [after])) as Listed,
    placeOf: (row) => row[0] ?? '',
  };

  function sourcesOf({ states, notificationId, recipientId }: DeliveryFilter): readonly Source[] {
    if (states?.length === 0) return [];
    if (notificationId !== undefined) return [ordered(`of:${plain(notificationId)}`)];
    if (isListedByAttention(states)) return Array.from(new Set(states), (state) => ordered(`a:${state}`));
    if (recipientId !== undefined) return [ordered(`r:${plain(recipientId)}`)];
    return [walk];
  }

  return {
    find: (ids) => found(FIND, ids, deliveryOf),
    findNotifications: (ids) => found(FIND_NOTIFICATIONS, ids, notificationRecordOf),
    list: (filter, { limit = DEFAULT_LIMIT, cursor = null } = {}) =>
      paged(sourcesOf(filter), { limit, cursor }, deliveryOf, (record, now) => fits(record, filter, now)),
    listNotifications: ({ states, sealed }, { limit = DEFAULT_LIMIT, cursor = null } = {}) =>
      paged([notifications], { limit, cursor }, notificationRecordOf, (record) => {
        const isState = states === undefined || states.includes(record.state);
        return isState && (sealed === undefined || sealed === record.sealed);
      }),
    count: async () => countsOf(await send(COUNT)),
    history: async (id) => storyOf((await send(STORY, [plain(id)])) as string),
  };
}

/** A cursor is the number of the source, and the place in it. */
async function paged<T>(
  sources: readonly Source[],
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
  make: (row: Row) => T,
  isWanted: (record: T, now: number) => boolean,
): Promise<Page<T>> {
  const items: T[] = [];
  const colon = (cursor ?? '').indexOf(':');
  let after = colon < 0 ? '' : (cursor ?? '').slice(colon + 1);
  for (let i = colon < 0 ? 0 : Number((cursor ?? '').slice(0, colon)); i < sources.length; i += 1) {
    const source = sources[i] as Source;
    do {
      const [now, next, rows] = await source.fetch(after);
      for (const row of rows) {
        const record = orUndefined(() => make(row));
        if (record === undefined || !isWanted(record, Number(now))) continue;
        items.push(record);
        if (items.length === limit) return { items, cursor: `${i}:${source.placeOf(row)}` };
      }
      after = next;
    } while (after !== '');
  }
  return { items, cursor: null };
}

function fits(record: DeliveryRecord, filter: DeliveryFilter, now: number): boolean {
  const { states, notificationId, tenant, type, channel, provider, recipientId, settledForMs, redrivesBelow } = filter;
  const { target, settledAt, redrives, replacedBy } = record;
  const isAs = (wanted: unknown, is: unknown): boolean => wanted === undefined || wanted === is;
  if (states !== undefined && !states.includes(record.state)) return false;
  if (!isAs(notificationId, record.notificationId) || !isAs(tenant, record.tenant) || !isAs(type, record.type))
    return false;
  if (!isAs(channel, target.channel) || !isAs(provider, record.provider) || !isAs(recipientId, target.recipientId))
    return false;
  if (settledForMs !== undefined && (settledAt === null || settledAt > now - settledForMs)) return false;
  return redrivesBelow === undefined || (redrives < redrivesBelow && replacedBy === null);
}

function countsOf(answer: unknown): Counts {
  const [cells, strays, unsealed, unreadable, oldest] = answer as [string[], ...(number | string)[]];
  const sums = new Map<string, number>();
  for (let i = 0; i + 1 < cells.length; i += 2) sums.set(cells[i] as string, Number(cells[i + 1]));
  const by = <State extends string>(prefix: string, states: readonly State[]): Record<State, number> =>
    Object.fromEntries(states.map((state) => [state, sums.get(`${prefix}:${state}`) ?? 0])) as Record<State, number>;
  return {
    deliveries: by('d', DELIVERY_STATES),
    notifications: by('n', NOTIFICATION_STATES),
    unsealed: Number(unsealed),
    forgotten: sums.get(`n:${FORGOTTEN}`) ?? 0,
    strays: Number(strays),
    assumed: sums.get('assumed') ?? 0,
    refusedMoves: sums.get('refused') ?? 0,
    unreadable: Number(unreadable),
    oldestDueMs: Number(oldest),
  };
}
