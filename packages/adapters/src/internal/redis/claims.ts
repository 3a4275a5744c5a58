import { randomUUID } from 'node:crypto';
import type { ClaimSelector, DeliveryVerdict, Lease, Ledger } from '@sendonce/core';
import type { NotificationFact } from '../ahead/facts.ts';
import { plain } from '../ahead/plain.ts';
import { CLAIM } from './claim-script.ts';
import type { Send } from './connection.ts';
import { BETWEEN } from './lists.ts';
import { deliveryFact, notificationFact, type Row } from './packed.ts';
import type { Remembered } from './remembered.ts';
import { FRESH_MS } from './writing.ts';

type Claim = Ledger['claim'];
type Answer = readonly [now: string, granted: readonly string[], notifications: readonly Row[], looks: number];

/** A script looks at so many at most. */
const MOST_IDS = 1_000;

export interface ClaimsOptions {
  readonly send: Send;
  readonly memory: Remembered;
  /** Core's own step over what was read, for all that the script leaves to it. */
  readonly claim: Claim;
}

/** Claims in one script what is as it mostly is, and the rest as any other call. */
export function claims({ send, memory, claim }: ClaimsOptions): Claim {
  async function quickly(selector: ClaimSelector, lease: Lease): Promise<readonly DeliveryVerdict[] | null> {
    const { store, heard } = memory;
    const many = 'ids' in selector ? selector.ids.length : selector.due;
    if (store === null || many < 1 || many > MOST_IDS) return null;
    const basis = [
      store.key,
      store.version,
      memory.identity,
      store.identityNow,
      heard.nowMs + Math.ceil(heard.agoMs) + FRESH_MS,
    ];
    const by = [plain(lease.requestId), plain(lease.owner), JSON.stringify(lease.owner), lease.leaseMs];
    const name = randomUUID();
    const what = 'ids' in selector ? ['', '', name, ...selector.ids.map(plain)] : [selector.lateMs, selector.due, name];
    const [now, granted, rows, looks] = (await send(CLAIM, [...basis, ...by, ...what])) as Answer;
    memory.hear(Number(now));
    if (looks === 1) return null;
    const notifications = new Map(rows.map((row) => [row[0] as string, notificationFact(row)]));
    return granted.flatMap((row) => grantOf(row, notifications) ?? []);
  }

  /** Undefined for what cannot be read. */
  function grantOf(joined: string, notifications: ReadonlyMap<string, NotificationFact>): DeliveryVerdict | undefined {
    const fact = deliveryFact(joined.split(BETWEEN).map((cell, i) => (cell === '' && i > 4 ? null : cell)));
    const { id, record } = fact;
    if (record === undefined) return undefined;
    const notification = notifications.get(fact.notification);
    if (notification !== undefined) memory.keep(fact, notification);
    const data = record.message === null ? (notification?.record?.data ?? null) : null;
    return { kind: 'granted', id, fence: record.fence, record, data };
  }

  return async (selector, lease) => {
    const quick = await quickly(selector, lease);
    if (quick === null) return claim(selector, lease);
    if (!('ids' in selector)) return quick;
    const granted = new Map(quick.map((verdict) => [verdict.id, verdict]));
    const { ids, agesMs } = selector;
    const left = ids.flatMap((id, i) => (granted.has(id) ? [] : [i]));
    const rest =
      left.length === 0
        ? []
        : await claim({ ...selector, ids: left.map((i) => ids[i]!), agesMs: left.map((i) => agesMs[i] ?? 0) }, lease);
    const others = rest.values();
    return ids.map((id) => granted.get(id) ?? (others.next().value as DeliveryVerdict));
  };
}
