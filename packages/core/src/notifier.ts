import { Alerting } from './alerts.ts';
import type { NotificationType, NotificationTypes, NotifierConfig, Targets, WorkerOptions } from './config.ts';
import type { DeliveryClass } from './model/classes.ts';
import type { DeliveryRecord, MessageContent, Move, OperatorNote } from './model/delivery.ts';
import { SendonceError } from './model/errors.ts';
import { frozenCopy } from './model/json.ts';
import { kindOf } from './model/keys.ts';
import type { NotificationRecord } from './model/notification.ts';
import { invalid, isFields, refuseName, shown } from './options.ts';
import { pipeline } from './pipeline.ts';
import type {
  BlockRequest,
  CancelVerdict,
  Counts,
  Evidence,
  EvidenceVerdict,
  ReplayVerdict,
  SuppressRequest,
  SuppressVerdict,
} from './ports/ledger.ts';
import type { TelemetryEvent } from './ports/telemetry.ts';
import { resolveSettings, type ResolvedType } from './settings.ts';
import type { PublishItem, PublishManyResult, PublishResult } from './stages/accept.ts';
import { checkBlock, checkEvidence, checkId, checkIdsAndNote, checkSuppress, FORCE } from './stages/check-requests.ts';
import { AddressBook } from './stages/address-book.ts';
import type { Context } from './stages/context.ts';
import { cancelling, record } from './stages/operate.ts';
import { Lanes } from './stages/lanes.ts';
import { checkPublishOptions, checkSendOptions, type PublishOptions } from './stages/publish-options.ts';
import type { ReplayOptions } from './stages/replay.ts';
import { telling } from './stages/telling.ts';
import { systemClock, systemRandom, systemWarn } from './system.ts';
import { makeWorker, type Worker } from './worker.ts';

/** The data type of a notification type. */
export type DataOf<Type> = Type extends NotificationType<infer Data> ? Data : never;

export interface SendOptions extends Omit<PublishOptions, 'recipients'> {
  readonly key: string;
  readonly recipients: Targets;
  readonly content: MessageContent;
  /** @defaultValue 'transactional' */
  readonly class?: Exclude<DeliveryClass, 'marketing'>;
}

/** After `close()` every method but `close` itself throws NOTIFIER_CLOSED. */
export interface Notifier<Types extends NotificationTypes = NotificationTypes> {
  /**
   * Accepts one notification in milliseconds; no provider is called. Publishing the same body under the same key again is `repeated`.
   * @throws SendonceError TYPE_UNKNOWN, OPTION_INVALID, KEY_MISSING, DATA_INVALID, DATA_UNSERIALIZABLE, RECIPIENTS_MISSING, NOTIFICATION_CONFLICT, NOTIFICATION_SEALED, PUBLISH_INTERRUPTED.
   */
  publish<Name extends keyof Types & string>(
    type: Name,
    data: DataOf<Types[Name]>,
    options?: PublishOptions,
  ): Promise<PublishResult>;
  /** Accepts many in one ledger call; an item that is refused has its error in its place and loses nobody else. */
  publishMany<Name extends keyof Types & string>(
    type: Name,
    items: readonly (PublishOptions & { readonly data: DataOf<Types[Name]> })[],
  ): Promise<readonly PublishManyResult[]>;
  /** Accepts a message that needs no type of its own: its content and its recipients are given here. */
  send(options: SendOptions): Promise<PublishResult>;
  /** Cancels notifications or deliveries; `too-late` where the message is out, or may be. */
  cancel(ids: readonly string[], note: OperatorNote): Promise<readonly CancelVerdict[]>;
  /** Opts recipients out of a topic (or in again). Checked again inside every mark. */
  suppress(requests: readonly SuppressRequest[]): Promise<readonly SuppressVerdict[]>;
  /** Pauses or resumes a provider, channel, type, class or all. What is blocked waits, visibly. */
  block(requests: readonly BlockRequest[]): Promise<void>;
  /** Sends dead letters again, each once however often this is repeated. */
  replay(ids: readonly string[], options: ReplayOptions): Promise<readonly ReplayVerdict[]>;
  /** Adds what a provider's webhook or an operator knows about a message. */
  record(evidence: readonly Evidence[]): Promise<readonly EvidenceVerdict[]>;
  status(): Promise<Counts>;
  find(id: string): Promise<DeliveryRecord | NotificationRecord | null>;
  /** The story of one delivery, oldest move first. */
  history(id: string): Promise<readonly Move[]>;
  /** A worker with the config's options, overridden by these. Any number may run, in any number of processes. */
  worker(options?: WorkerOptions): Worker;
  /** Flushes alerts, closes ledger, destinations, queues, providers and sinks. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Checks a config and makes the notifier; connects to nothing yet.
 * @throws SendonceError CONFIG_INVALID naming the option, the value and what is allowed.
 */
export function createNotifier<Types extends NotificationTypes>(config: NotifierConfig<Types>): Notifier<Types> {
  const { context, alerting } = makeContext(config);
  const { ledger } = context;
  const cancel = cancelling(context);
  const typeOf = (name: string): ResolvedType =>
    context.settings.types.get(name) ??
    refuseName(shown(name), String(name), Object.keys(config.notifications), 'a notification type', 'TYPE_UNKNOWN');
  let closed: Promise<void> | null = null;
  const open = (): void => {
    if (closed !== null)
      throw new SendonceError('NOTIFIER_CLOSED', 'this notifier is closed; make another with createNotifier');
  };
  const whileOpen =
    <Args extends readonly unknown[], Answer>(work: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      open();
      return work(...args);
    };
  const acceptOne = async (type: ResolvedType, item: PublishItem): Promise<PublishResult> => {
    open();
    const [result] = await pipeline.accept(context, type, [item]);
    if (result === undefined)
      throw new SendonceError('LEDGER_UNAVAILABLE', 'the ledger gave no verdict; publish again');
    if (result.kind === 'failed') throw result.error;
    return result;
  };
  return {
    publish: async (name, data, options = {}) => {
      checkPublishOptions(options);
      return acceptOne(typeOf(name), { ...options, data });
    },
    publishMany: async (name, items) => {
      open();
      return pipeline.accept(context, typeOf(name), items);
    },
    send: async (given) => {
      checkSendOptions(given, DIRECT_CLASSES);
      const { content, class: deliveryClass = 'transactional', ...options } = given;
      return acceptOne(typeOf(DIRECT + deliveryClass), { ...options, data: { content } });
    },
    cancel: whileOpen(async (ids, note) => {
      checkIdsAndNote('cancel', ids, note);
      return cancel(ids, note);
    }),
    suppress: whileOpen(async (requests) => {
      checkSuppress(requests);
      return ledger.suppress(requests);
    }),
    block: whileOpen(async (requests) => {
      checkBlock(requests);
      return ledger.block(requests);
    }),
    replay: whileOpen(async (ids, options) => {
      checkIdsAndNote('replay', ids, options, FORCE);
      return pipeline.replay(context, ids, options);
    }),
    record: whileOpen(async (evidence) => {
      checkEvidence(evidence);
      return record(context, evidence);
    }),
    status: whileOpen(async () => ledger.count()),
    find: whileOpen(async (id) => {
      checkId('find', id);
      const found = kindOf(id) === 'notification' ? await ledger.findNotifications([id]) : await ledger.find([id]);
      return frozenCopy(found[0] ?? null, 'record');
    }),
    history: whileOpen(async (id) => {
      checkId('history', id);
      return ledger.history(id);
    }),
    worker: (options = {}) => {
      open();
      if (!isFields(options)) invalid(`worker takes an object of worker options, got ${shown(options)}`);
      return makeWorker(context, options, { deadLetterRetry: config.deadLetterRetry ?? null, alerting });
    },
    close: () => (closed ??= closeAll(config, alerting)),
  };
}

/** Types behind `send`: one per class, since a type has one class. Marketing has no default expiry and needs a type of its own. */
const DIRECT = 'direct.';

const DIRECT_CLASSES = [
  'security',
  'document',
  'transactional',
  'legal',
  'alert',
] as const satisfies readonly SendOptions['class'][];
const directContent = (data: { content: MessageContent }): MessageContent => data.content;
const DIRECT_TYPES: NotificationTypes = Object.fromEntries(
  DIRECT_CLASSES.map((each) => [DIRECT + each, { class: each, content: directContent }]),
);

function makeContext(config: NotifierConfig): { readonly context: Context; readonly alerting: Alerting } {
  const settings = resolveSettings(config, DIRECT_TYPES);
  const { clock = systemClock, random = systemRandom, telemetry = [], alerts = [] } = config;
  const queue = config.queue ?? null;
  const tell = telling(telemetry, { clock, warn: systemWarn });
  const alerting = new Alerting(alerts, clock, tell);
  const emit = (event: TelemetryEvent): void => {
    alerting.note(event);
    tell(event);
  };
  const sharedBy =
    (name: 'route' | 'content') =>
    (type: string): void =>
      emit({ kind: 'function.shared', at: clock.now(), type, name });
  return {
    context: {
      settings,
      ledger: config.ledger,
      queue,
      eventsQueue: config.eventsQueue ?? queue,
      destinations:
        config.destinations === undefined
          ? null
          : new AddressBook(config.destinations, {
              clock,
              emit,
              channels: settings.channels,
              pruning: settings.pruning,
            }),
      clock,
      random,
      emit,
      lanes: { route: new Lanes(sharedBy('route')), content: new Lanes(sharedBy('content')) },
      heard: telemetry.length + alerts.length > 0,
    },
    alerting,
  };
}

async function closeAll(config: NotifierConfig, alerting: Alerting): Promise<void> {
  await alerting.close();
  const providers = Object.values(config.channels).flatMap((channel) => channel.providers);
  const parts = new Set(
    [...providers, config.destinations, config.queue, config.eventsQueue, config.ledger].filter(
      (part) => part !== undefined,
    ),
  );
  const results = await Promise.allSettled([...parts].map(async (part) => part.close()));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
