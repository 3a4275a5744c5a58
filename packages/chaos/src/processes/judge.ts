import {
  DELIVERY_STATES,
  isSettled,
  TRANSITIONS,
  type DeliveryRecord,
  type Move,
  type NotificationRecord,
} from '@sendonce/core';
import { finalDelivery, type EndFacts, type MailboxEntry, type NotMade } from '../checkers/facts.ts';
import type { PolicyFacts } from '../checkers/context.ts';
import { CLASSES_OF_END, type EndClass, type RunResult, type Tally, type Violation } from '../result.ts';
import { count } from '../tally.ts';
import { bodyOf } from '../world/body.ts';
import { OVER } from '../world/end-facts.ts';
import type { Audience } from './audience.ts';
import type { MailboxLine } from './mailbox-file.ts';

/** What a real run leaves behind: the mailbox on the disk, and what the ledger says. */
export interface Remains {
  readonly mailbox: readonly MailboxLine[];
  readonly deliveries: readonly DeliveryRecord[];
  readonly notifications: readonly NotificationRecord[];
  /** By delivery. */
  readonly stories: ReadonlyMap<string, readonly Move[]>;
  /** When it was read, epoch ms of the run's clock. */
  readonly endedAt: number;
}

export interface Judgement {
  readonly requested: number;
  readonly tally: Tally;
  readonly violations: readonly Violation[];
  readonly notSent: RunResult['notSent'];
  readonly unsealed: RunResult['unsealed'];
  /** Declared state transitions that the stories show. */
  readonly moves: { readonly seen: number; readonly declared: number };
}

/** What can be judged by the end alone. */
export const JUDGED = ['S1', 'S2', 'S7', 'S13', 'L2', 'END'] as const;

const MOST = 1_000;

/** Of a run that nobody waited for. */
export const NOTHING_JUDGED: Judgement = {
  requested: 0,
  tally: Object.fromEntries(CLASSES_OF_END.map((name) => [name, 0])) as Record<EndClass, number>,
  violations: [],
  notSent: [],
  unsealed: [],
  moves: movesIn([]),
};

/**
 * Judges a run by what it left behind: how many messages everybody has comes from the mailbox alone, what is believed from the ledger.
 * It knows nothing of what happened in between, so it can be given any mailbox. `forgotUntil`: the ledger lost its memory, and until then
 * messages may have arrived whose marks it no longer knows, epoch ms.
 */
export function judge(
  remains: Remains,
  audience: Audience,
  policy: PolicyFacts,
  forgotUntil: number | null = null,
): Judgement {
  const { mailbox, deliveries, notifications, stories, endedAt } = remains;
  const ofRecipient = grouped(deliveries, (record) => audience.recipientOf(record));
  const messages = mailbox.map((line): MailboxEntry & { readonly line: MailboxLine } => ({
    recipient: audience.recipientAt(line),
    provider: line.provider,
    deliveryId: line.deliveryId,
    body: line.body,
    at: line.at,
    line,
  }));
  const unsealed = notifications.filter(({ sealed, state }) => !sealed && !OVER.has(state));
  const facts: EndFacts = {
    requested: audience.numbers,
    input: audience.input,
    deliveries: deliveries.map((record) => finalDelivery(record, audience.recipientOf(record))),
    mailbox: messages,
    notMade: () => notMade(notifications),
    failedNotifications: [],
    unsealed: unsealed.map(({ id: notificationId, targets }) => ({ notificationId, targets })),
    deadLetters: new Set(),
    liveness: {
      phase: 'healed',
      healedAt: endedAt,
      endedAt,
      boundMs: 0,
      unfinished: [],
      leases: [],
      queue: null,
      healthy: [],
      poison: [],
    },
  };
  const declared = (recipient: number): number =>
    policy.resend || policy.failover ? sum(ofRecipient.get(recipient) ?? [], declaredExtras) : 0;
  const everUnknown = (recipient: number): boolean =>
    (ofRecipient.get(recipient) ?? []).some(({ id }) => (stories.get(id) ?? []).some(({ to }) => to === 'unknown'));
  const size = audience.numbers.reduce((most, number) => Math.max(most, number), -1) + 1;
  const counted = count(
    facts,
    { declaredExtras: declared, everUnknown, mayAssume: () => policy.assume, storeForgot: () => forgotUntil !== null },
    size,
  );
  const found = new Found(endedAt);
  const records = new Map(deliveries.map((record) => [record.id, record]));
  for (const { recipient, deliveryId, line } of messages)
    found.message(recipient, deliveryId, wrongWith(line, recipient, { audience, records, forgotUntil }));
  for (const record of deliveries) found.record(audience.recipientOf(record), record);
  for (const misfit of counted.misfits) found.misfit(misfit);
  return {
    requested: counted.requested,
    tally: counted.tally,
    violations: found.violations,
    notSent: counted.notSent,
    unsealed: facts.unsealed,
    moves: movesIn(stories.values()),
  };
}

/** Marks that a declaration covered: each may have led to one message more. */
function declaredExtras({ declarations, attempts }: DeliveryRecord): number {
  return declarations.filter(({ afterAttempt }) => afterAttempt < attempts.length).length;
}

function notMade(notifications: readonly NotificationRecord[]): NotMade {
  const [record] = notifications;
  if (record === undefined) return 'missing';
  if (record.state === 'cancelled' || record.state === 'failed') return record.state;
  if (!record.sealed) return 'unsealed';
  return record.state === 'expanded' || record.state === 'done' ? 'missing' : 'unfinished';
}

type Wrong = readonly [invariant: 'S2' | 'S7', message: string];

interface Sought {
  readonly audience: Audience;
  readonly records: ReadonlyMap<string, DeliveryRecord>;
  readonly forgotUntil: number | null;
}

/** What one message shows to be broken, whatever became of the others. */
function wrongWith(line: MailboxLine, recipient: number, { audience, records, forgotUntil }: Sought): Wrong | null {
  const record = records.get(line.deliveryId);
  if (recipient < 0) return ['S7', `a message went to ${line.to}, whom nobody had asked for`];
  const isForgotten = forgotUntil !== null && line.at <= forgotUntil;
  if (record === undefined)
    return isForgotten ? null : ['S7', `a message names ${line.deliveryId}, a delivery that nobody made`];
  const asked = audience.contentOf(recipient, record);
  if (bodyOf(asked) !== line.body) return ['S7', 'the message that arrived is not the one that was asked for'];
  if (isForgotten) return null;
  const marked = record.attempts.find(({ n, provider }) => n === line.attempt && provider === line.provider);
  if (marked === undefined || marked.markedAt > line.at)
    return ['S2', `its message arrived at ${line.provider}, and no attempt had been marked before`];
  return null;
}

class Found {
  readonly #endedAt: number;
  readonly #seen = new Set<string>();
  readonly #violations: Violation[] = [];

  constructor(endedAt: number) {
    this.#endedAt = endedAt;
  }

  /** What happened to people first. */
  get violations(): readonly Violation[] {
    const rank = ({ invariant }: Violation): number => ['S1', 'END'].indexOf(invariant) + 1 || 3;
    return [...this.#violations].sort((a, b) => rank(a) - rank(b));
  }

  message(recipient: number, deliveryId: string, wrong: Wrong | null): void {
    if (wrong !== null) this.#add(wrong[0], recipient, deliveryId, wrong[1]);
  }

  record(recipient: number, { id, state, reason, attempts }: DeliveryRecord): void {
    if (!isSettled(state)) {
      const tries = `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`;
      this.#add('L2', recipient, id, `still ${state} at the end, after ${tries}`);
    } else if ((state === 'dead' || state === 'failed' || state === 'parked') && (reason ?? '') === '')
      this.#add('S13', recipient, id, `${state} without a reason`);
  }

  misfit({ recipient, end, message, unsettled }: ReturnType<typeof count>['misfits'][number]): void {
    // Told as L2 already, and a phantom as S7.
    if (unsettled && this.#violations.some(({ invariant }) => invariant === 'L2')) return;
    if (end === 'phantom' && this.#violations.some(({ invariant }) => invariant === 'S7')) return;
    this.#add(end === 'duplicated' ? 'S1' : 'END', recipient ?? -1, null, message);
  }

  #add(invariant: string, recipient: number, deliveryId: string | null, message: string): void {
    const key = `${invariant} ${recipient < 0 ? message : recipient}`;
    if (this.#seen.has(key) || this.#violations.length >= MOST) return;
    this.#seen.add(key);
    this.#violations.push({
      invariant,
      kind: invariant.startsWith('L') ? 'liveness' : 'safety',
      at: this.#endedAt,
      recipient: recipient < 0 ? null : `r${recipient}`,
      deliveryId,
      message,
    });
  }
}

function movesIn(stories: Iterable<readonly Move[]>): Judgement['moves'] {
  const seen = new Set<string>();
  for (const story of stories)
    for (const { from, to } of story) if (from !== null && TRANSITIONS[from].includes(to)) seen.add(`${from} ${to}`);
  return { seen: seen.size, declared: DELIVERY_STATES.reduce((all, from) => all + TRANSITIONS[from].length, 0) };
}

function grouped<Item>(items: readonly Item[], key: (item: Item) => number): ReadonlyMap<number, readonly Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((all, item) => all + of(item), 0);
}
