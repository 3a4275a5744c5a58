import {
  createNotifier,
  type ClassPolicy,
  type Ledger,
  type MessageContent,
  type NotifierConfig,
  type Outcome,
  type OutgoingMessage,
  type Provider,
  type ProviderCapabilities,
  type ReconcileDecision,
  type SendContext,
  type SettleRequest,
  type Target,
} from '@sendonce/core';
import type { CallFault, SimulationSetup } from '../../src/plan.ts';
import { decide, portsOf, reading, realWorker, withProviders } from '../../src/senders/parts.ts';
import type { SenderFactory } from '../../src/senders/sender.ts';
import type { WorkloadSpec } from '../../src/workload.ts';

const NOTE = { by: 'the sender', why: 'it is easier' } as const;
const HOUR_MS = 3_600_000;

/** A sender that wins by not doing its work, or does other work than was asked for. */
export interface BadSender {
  /** Reads after "a sender that". */
  readonly does: string;
  /** What its judgement has to name, of a few that all say so. */
  readonly by: readonly string[];
  readonly setup?: Partial<SimulationSetup>;
  readonly workload?: WorkloadSpec;
  /** What has to happen for it to show. @defaultValue nothing */
  readonly faults?: readonly CallFault[];
  readonly make: SenderFactory;
}

/** The provider with each send done otherwise. */
function sending(
  provider: Provider,
  send: (message: OutgoingMessage, context: SendContext) => Promise<Outcome>,
): Provider {
  return { name: provider.name, capabilities: provider.capabilities, send, close: () => provider.close() };
}

const answering =
  (outcome: Outcome): SenderFactory =>
  (config, options) =>
    realWorker(
      withProviders(config, (provider) => sending(provider, () => Promise.resolve(outcome))),
      options,
    );

const askingAndAnswering =
  (outcome: Outcome): SenderFactory =>
  (config, options) =>
    realWorker(
      withProviders(config, (provider) => reading(provider, () => outcome)),
      options,
    );

type Make = (data: unknown, target: Target) => MessageContent;

/** The real worker, with every type's content made otherwise. */
const making =
  (remake: (make: Make) => Make): SenderFactory =>
  (config, options) => {
    const notifications = Object.fromEntries(
      Object.entries(config.notifications).map(([name, type]) => [
        name,
        { ...type, content: remake(type.content as unknown as Make) },
      ]),
    ) as NotifierConfig['notifications'];
    return realWorker({ ...config, notifications }, options);
  };

function withLedger(config: NotifierConfig, changes: Partial<Ledger>): NotifierConfig {
  return { ...config, ledger: Object.assign(Object.create(config.ledger) as Ledger, changes) };
}

/** The real deciding stage, and beside it something else than delivering. */
const insteadOfDelivering =
  (act: (config: NotifierConfig, signal: AbortSignal) => Promise<void>): SenderFactory =>
  (config, options) => ({
    run: async ({ signal }) => void (await Promise.all([decide(config, options, signal), act(config, signal)])),
  });

/** Does it for every delivery that comes, once. */
const forEverybody = (act: (config: NotifierConfig, target: Target, id: string) => Promise<void>): SenderFactory =>
  insteadOfDelivering(async (config, signal) => {
    const { ledger, clock } = portsOf(config, {});
    while (!signal.aborted) {
      const { items } = await ledger.list({ states: ['queued'] }, { limit: 100 }).catch(() => ({ items: [] }));
      for (const { target, id } of items) await act(config, target, id).catch(() => undefined);
      await clock.sleep(1_000, signal);
    }
  });

/** Waits until nothing may be sent any more, and then looks. */
const tooLate = insteadOfDelivering(async (config, signal) => {
  const { ledger, clock, random } = portsOf(config, {});
  while (!signal.aborted) {
    await clock.sleep(HOUR_MS + 60_000, signal);
    const lease = { owner: random.id(), requestId: random.id(), leaseMs: 30_000 };
    const claimed = await ledger.claim({ due: 100, lateMs: 0 }, lease).catch(() => []);
    const marks = claimed.flatMap((each) =>
      each.kind === 'granted'
        ? {
            ...{ id: each.id, fence: each.fence, provider: 'p0', key: each.id, keyWindowMs: null, message: {} },
            ...{ dispatchMs: 60_000, sendMarginMs: 0 },
          }
        : [],
    );
    if (marks.length > 0) await ledger.mark(marks).catch(() => []);
  }
});

/** Each page's addresses moved on by one. */
const swappedAddresses: SenderFactory = (config, options) => {
  const { ledger } = config;
  const add: Ledger['add'] = (batch) =>
    ledger.add(
      batch.map((request) => ({
        ...request,
        deliveries: request.deliveries.map((delivery, at, all) => ({
          ...delivery,
          target: { ...delivery.target, to: all[(at + 1) % all.length]?.target.to ?? '' },
        })),
      })),
    );
  return realWorker(withLedger(config, { add }), options);
};

const bornFailed: SenderFactory = (config, options) => {
  const { ledger } = config;
  const add: Ledger['add'] = (batch) =>
    ledger.add(
      batch.map((request) => ({
        ...request,
        deliveries: request.deliveries.map((delivery) => ({ ...delivery, failed: 'no such address' })),
      })),
    );
  return realWorker(withLedger(config, { add }), options);
};

/** Text messages by e-mail. */
const overEmail: SenderFactory = (config, options) => {
  const [email] = config.channels.email?.providers ?? [];
  if (email === undefined) throw new Error('this world has e-mail');
  const send: Provider['send'] = (message, context) => email.send({ ...message, channel: 'email' }, context);
  return realWorker(
    withProviders(config, (provider) => (provider === email ? provider : sending(provider, send))),
    options,
  );
};

const twiceWithOneKey: SenderFactory = (config, options) =>
  realWorker(
    withProviders(config, (provider) =>
      sending(provider, async (message, context) => {
        await provider.send(message, context);
        return provider.send(message, context);
      }),
    ),
    options,
  );

/** Says of each first attempt that nobody can tell, so that the class declares a second. */
const twiceDeclared: SenderFactory = (config, options) =>
  realWorker(
    withProviders(config, (provider) =>
      sending(provider, async (message, context) => {
        const outcome = await provider.send(message, context);
        return context.attempt === 1 ? { kind: 'unknown', reason: 'who knows' } : outcome;
      }),
    ),
    options,
  );

const markedAndLeft: SenderFactory = (config, options) =>
  realWorker(
    withProviders(config, (provider) => sending(provider, () => new Promise(() => {}))),
    options,
  );

const replayedByItself: SenderFactory = (config, options) => ({
  async run({ signal }) {
    const { ledger, clock } = portsOf(config, options);
    const replay = async (): Promise<void> => {
      while (!signal.aborted) {
        await clock.sleep(60_000, signal);
        const { items } = await ledger.list({ states: ['parked'] }, { limit: 100 }).catch(() => ({ items: [] }));
        await ledger.replay(items.map(({ id }) => ({ id, forced: true, automatic: false, ...NOTE }))).catch(() => []);
      }
    };
    await Promise.all([twiceDeclared(config, options).run({ signal }), replay()]);
  },
});

/** The real worker, and what it settles written otherwise. */
const settling =
  (rewrite: (request: SettleRequest) => SettleRequest): SenderFactory =>
  (config, options) => {
    const settle: Ledger['settle'] = (batch) => config.ledger.settle(batch.map(rewrite));
    return realWorker(withLedger(config, { settle }), options);
  };

/** The same with what it decides about unknown outcomes. */
const deciding =
  (rewrite: (decision: ReconcileDecision) => ReconcileDecision): SenderFactory =>
  (config, options) => {
    const reconcile: Ledger['reconcile'] = (batch) =>
      config.ledger.reconcile(batch.map((request) => ({ ...request, decision: rewrite(request.decision) })));
    return realWorker(withLedger(config, { reconcile }), options);
  };

/** The real worker, with options that its types do not have. */
const withPolicy =
  (policy: Partial<ClassPolicy>): SenderFactory =>
  (config, options) => {
    const types = Object.entries(config.notifications).map(([name, type]) => [name, { ...type, ...policy }]);
    return realWorker({ ...config, notifications: Object.fromEntries(types) as typeof config.notifications }, options);
  };

/** The real worker, over providers that are said to be able to do less. */
const unable =
  (lacks: Partial<ProviderCapabilities>): SenderFactory =>
  (config, options) =>
    realWorker(
      withProviders(config, (provider) => ({
        ...sending(provider, (message, context) => provider.send(message, context)),
        capabilities: { ...provider.capabilities, ...lacks },
      })),
      options,
    );

const singleAttempts: SenderFactory = (config, options) => {
  const add: Ledger['add'] = (batch) =>
    config.ledger.add(
      batch.map((request) => ({
        ...request,
        deliveries: request.deliveries.map((delivery) => ({ ...delivery, maxAttempts: 1 })),
      })),
    );
  return realWorker(withLedger(config, { add }), options);
};

/** Gives back what it has claimed, again and again, until it is too late. */
const neverReady: SenderFactory = (config, options) => {
  const mark: Ledger['mark'] = async (batch) => {
    await config.ledger.release(batch.map(({ id, fence }) => ({ id, fence, delayMs: 300_000, failure: null })));
    return batch.map(({ id }) => ({ kind: 'fenced', id }));
  };
  return realWorker(withLedger(config, { mark }), options);
};

const givingUpOn = (kind: Outcome['kind']): SenderFactory =>
  settling((request) =>
    request.outcome.kind === kind ? { ...request, next: { kind: 'failed', reason: 'enough' }, refund: false } : request,
  );

const waiting = (ms: number): SenderFactory =>
  settling((request) =>
    request.next.kind === 'retry' ? { ...request, next: { ...request.next, delayMs: ms } } : request,
  );

const rejecting =
  (kind: Outcome['kind']): SenderFactory =>
  (config, options) =>
    realWorker(
      withProviders(config, (provider) =>
        reading(provider, (outcome) =>
          outcome.kind === kind ? { kind: 'rejected', scope: 'message', reason: 'enough' } : outcome,
        ),
      ),
      options,
    );

const ofFirst = (what: Pick<CallFault, 'do' | 'phase'> & Partial<CallFault>): CallFault => ({
  op: 'provider.send',
  entity: 'r0',
  nth: 1,
  ...what,
});
const THROTTLED = ofFirst({ do: 'throttle', phase: 'E', ms: 60_000 });
const UNAUTHORISED = ofFirst({ do: 'unauthorised', phase: 'E' });
/** The provider takes it, and its answer is lost. */
const LOST = ofFirst({ do: 'reply-lost', phase: 'A' });
const NOT_ARRIVED = ofFirst({ do: 'request-lost', phase: 'B' });
const LOST_AGAIN = { ...LOST, nth: 2 };
const NEVER_SENT = ofFirst({ do: 'outage', phase: 'E', ms: 20_000 });

const PLAIN = { provider: 'plain' } as const;
const CAN_BE_ASKED = { provider: 'lookup' } as const;
const PARK = { kind: 'park', reason: 'who knows' } as const;
const REPEAT = { kind: 'declare', declaration: 'resend', provider: 'p0', delayMs: 0 } as const;
const NOT_THERE = {
  kind: 'absent',
  provider: 'p0',
  next: { kind: 'retry', provider: 'p0', delayMs: 0, reason: 'not there' },
} as const;
const people = ['+491711111111', '+491712222222', '+491713333333'];
const TWO_CHANNELS: WorkloadSpec = {
  kind: 'recipients',
  targets: [
    ...people.map((to) => ({ channel: 'sms', to }) as const),
    ...['ann', 'ben', 'cleo'].map((name) => ({ channel: 'email', to: `${name}@example.com` }) as const),
  ],
  doubles: [],
};

/** One of each kind of cheating that a count of messages alone does not see. */
export const CHEATS: readonly BadSender[] = [
  {
    does: 'reports a rejection without asking',
    by: ['S17'],
    make: answering({ kind: 'rejected', scope: 'message', reason: 'no' }),
  },
  {
    does: 'reports a refused destination without asking',
    by: ['S17'],
    make: answering({ kind: 'rejected', scope: 'destination', reason: 'no' }),
  },
  {
    does: 'reports a provider that refuses it without asking',
    by: ['S17'],
    make: answering({ kind: 'rejected', scope: 'provider', reason: 'no' }),
  },
  { does: 'reports "not sent" without asking', by: ['S17'], make: answering({ kind: 'not-sent', reason: 'refused' }) },
  { does: 'reports a deferral without asking', by: ['S17'], make: answering({ kind: 'deferred', reason: 'later' }) },
  {
    does: 'reports an acceptance without asking',
    by: ['S17'],
    make: answering({ kind: 'accepted', providerMessageId: 'm' }),
  },
  {
    does: 'reports an acceptance whatever was answered',
    by: ['S17'],
    make: askingAndAnswering({ kind: 'accepted', providerMessageId: 'probably' }),
  },
  {
    does: 'reports "not sent" whatever was answered',
    by: ['S17'],
    make: askingAndAnswering({ kind: 'not-sent', reason: 'refused' }),
  },
  {
    does: 'has content that always throws',
    by: ['END'],
    make: making(() => () => {
      throw new Error('template is broken');
    }),
  },
  {
    does: 'has content that forgets to return',
    by: ['END'],
    make: making(() => () => undefined as unknown as MessageContent),
  },
  { does: 'makes every delivery failed from the start', by: ['END'], make: bornFailed },
  {
    does: 'cancels everybody',
    by: ['END'],
    make: forEverybody((config, _target, id) => config.ledger.cancel([{ id, ...NOTE }]).then(() => undefined)),
  },
  {
    does: 'cancels the notification',
    by: ['END'],
    make: forEverybody(async (config) => {
      const { items } = await config.ledger.listNotifications({}, { limit: 1 });
      await createNotifier(config).cancel(
        items.map(({ id }) => id),
        NOTE,
      );
    }),
  },
  {
    does: 'opts everybody out and then delivers',
    by: ['END'],
    make: (config, options) => {
      const add: Ledger['add'] = async (batch) => {
        const people = batch.flatMap(({ deliveries }) => deliveries.map(({ target }) => target.recipientId));
        await config.ledger.suppress(
          people.map((recipientId) => ({
            tenant: 'default',
            recipientId,
            topic: '*',
            channel: '*',
            suppressed: true,
            ...NOTE,
          })),
        );
        return config.ledger.add(batch);
      };
      return realWorker(withLedger(config, { add }), options);
    },
  },
  {
    does: 'waits until everything has expired',
    by: ['END'],
    setup: { knobs: { expiresInMs: HOUR_MS } },
    make: tooLate,
  },
  {
    does: "sends another recipient's content, marked so",
    by: ['S7'],
    make: making((make) => (data, target) => make(data, { ...target, recipientId: 'somebody', data: { number: 99 } })),
  },
  { does: 'sends an empty content, marked so', by: ['S7'], make: making(() => () => ({})) },
  {
    does: 'sends with one word changed, marked so',
    by: ['S7'],
    make: making((make) => (data, target) => ({ ...make(data, target), subject: 'Order' })),
  },
  { does: "sends to the next recipient's address", by: ['S7'], make: swappedAddresses },
  {
    does: 'sends over the wrong channel',
    by: ['S7'],
    setup: { recipients: 6 },
    workload: TWO_CHANNELS,
    make: overEmail,
  },
  {
    does: 'sends everything twice, each declared as a resend',
    by: ['S1'],
    setup: { ...PLAIN, class: 'security' },
    make: twiceDeclared,
  },
  {
    does: 'sends everything twice, each declared as a failover',
    by: ['S1'],
    setup: { ...PLAIN, class: 'document' },
    make: twiceDeclared,
  },
  { does: 'sends everything twice with the same key', by: ['S17'], make: twiceWithOneKey },
  { does: 'replays by itself what it does not know', by: ['END', 'S17'], setup: PLAIN, make: replayedByItself },
  {
    does: 'parks everybody whom it has sent to',
    by: ['END', 'S17', 'META'],
    setup: PLAIN,
    make: askingAndAnswering({ kind: 'unknown', reason: 'who knows' }),
  },
  {
    does: 'parks everybody without asking',
    by: ['END', 'S17', 'META'],
    setup: PLAIN,
    make: answering({ kind: 'unknown', reason: 'who knows' }),
  },
  { does: 'marks everybody and leaves it at that', by: ['END', 'S17', 'META'], setup: PLAIN, make: markedAndLeft },
  {
    does: 'assumes that everybody got it',
    by: ['END', 'S17', 'META'],
    setup: { ...PLAIN, class: 'marketing' },
    make: answering({ kind: 'unknown', reason: 'who knows' }),
  },
  // ---- what does not keep to the class ----
  { does: 'gives up what was deferred', by: ['S18'], faults: [THROTTLED], make: givingUpOn('deferred') },
  { does: 'gives up what was not sent', by: ['S18'], faults: [NEVER_SENT], make: givingUpOn('not-sent') },
  {
    does: 'gives up what may have been accepted',
    by: ['S18'],
    setup: PLAIN,
    faults: [LOST],
    make: givingUpOn('unknown'),
  },
  {
    does: 'gives up because a provider refused it',
    by: ['S18'],
    faults: [UNAUTHORISED],
    make: givingUpOn('rejected'),
  },
  { does: 'takes a deferral for a rejection', by: ['S17'], faults: [THROTTLED], make: rejecting('deferred') },
  {
    does: "takes a provider's refusal of it for one of the message",
    by: ['S17'],
    faults: [UNAUTHORISED],
    make: rejecting('rejected'),
  },
  {
    does: 'charges what was deferred',
    by: ['S14'],
    faults: [THROTTLED],
    make: settling((request) => ({ ...request, refund: false })),
  },
  {
    does: 'charges nothing',
    by: ['S14'],
    faults: [NEVER_SENT],
    make: settling((request) => ({ ...request, refund: true })),
  },
  { does: 'makes every delivery with a single attempt', by: ['S18'], make: singleAttempts },
  { does: 'is configured with a single attempt', by: ['S18'], make: withPolicy({ maxAttempts: 1 }) },
  {
    does: 'is configured to try again at once',
    by: ['S18'],
    faults: [NEVER_SENT, { ...NEVER_SENT, nth: 2 }],
    make: withPolicy({ retry: { schedule: [1] } }),
  },
  {
    does: 'is configured to try again next month',
    by: ['S18'],
    faults: [NEVER_SENT, { ...NEVER_SENT, entity: 'r1' }],
    make: withPolicy({ retry: { schedule: [2_592_000_000] }, failoverOnNotSent: false }),
  },
  { does: 'asks again before it may', by: ['S18'], faults: [THROTTLED], make: waiting(1_000) },
  { does: 'asks again when all has expired', by: ['S18'], faults: [THROTTLED], make: waiting(2_592_000_000) },
  { does: 'gives everything back until it has expired', by: ['S18'], make: neverReady },
  { does: 'parks what it could repeat with its key', by: ['S18'], faults: [LOST], make: deciding(() => PARK) },
  {
    does: 'says that its provider takes no keys',
    by: ['S18'],
    faults: [LOST],
    make: unable({ idempotency: { kind: 'none' } }),
  },
  {
    does: 'gives the key less time',
    by: ['S18'],
    faults: [LOST],
    make: (config, options) => realWorker(config, { ...options, keyMarginMs: 86_300_000 }),
  },
  {
    does: 'repeats with its key once, and no more',
    by: ['S18'],
    faults: [LOST, LOST_AGAIN],
    make: withPolicy({ replayForMs: 0 }),
  },
  {
    does: 'repeats everything as if it had no key',
    by: ['S18'],
    setup: { class: 'security' },
    faults: [LOST],
    make: deciding(() => REPEAT),
  },
  {
    does: 'parks what it could ask about',
    by: ['S18'],
    setup: CAN_BE_ASKED,
    faults: [LOST],
    make: deciding(() => PARK),
  },
  {
    does: 'says that its provider cannot be asked',
    by: ['S18'],
    setup: CAN_BE_ASKED,
    faults: [LOST],
    make: unable({ lookup: 'none' }),
  },
  {
    does: 'is configured never to ask',
    by: ['S18'],
    setup: CAN_BE_ASKED,
    faults: [LOST],
    make: withPolicy({ lookup: 'never' }),
  },
  {
    does: 'repeats before it asks',
    by: ['S18'],
    setup: { ...CAN_BE_ASKED, class: 'security' },
    faults: [LOST],
    make: withPolicy({ lookup: 'never' }),
  },
  {
    does: 'takes what it never asked about for absent',
    by: ['S18'],
    setup: PLAIN,
    faults: [LOST],
    make: deciding(() => NOT_THERE),
  },
  {
    does: 'takes what is not there yet for absent',
    by: ['S18'],
    setup: CAN_BE_ASKED,
    faults: [NOT_ARRIVED],
    make: deciding((decision) => (decision.kind === 'wait' ? NOT_THERE : decision)),
  },
  ...(['security', 'document', 'alert'] as const).map((name) => ({
    does: `parks what the class of ${name} repeats`,
    by: ['S18'],
    setup: { ...PLAIN, class: name },
    faults: [LOST],
    make: deciding(() => PARK),
  })),
  {
    does: 'parks what the class of marketing assumes',
    by: ['S18'],
    setup: { ...PLAIN, class: 'marketing' },
    faults: [LOST],
    make: deciding(() => PARK),
  },
  {
    does: 'is configured to park',
    by: ['S18'],
    setup: { ...PLAIN, class: 'document' },
    faults: [LOST],
    make: withPolicy({ onUnknown: 'park' }),
  },
  {
    does: 'is configured to assume',
    by: ['S18'],
    setup: PLAIN,
    faults: [LOST],
    make: withPolicy({ onUnknown: 'assume-sent' }),
  },
  {
    does: 'resends where the class fails over',
    by: ['S18'],
    setup: { ...PLAIN, class: 'document' },
    faults: [LOST],
    make: withPolicy({ onUnknown: 'resend' }),
  },
  {
    does: 'waits for an answer that nobody can give',
    by: ['S18'],
    setup: { ...PLAIN, class: 'document' },
    faults: [LOST],
    make: deciding((decision) => (decision.kind === 'declare' ? { kind: 'wait', delayMs: 300_000 } : decision)),
  },
];
