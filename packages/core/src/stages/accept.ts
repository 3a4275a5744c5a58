import type { Targets } from '../config.ts';
import { fingerprint, notificationId } from '../model/keys.ts';
import { SendonceError } from '../model/errors.ts';
import type { NotificationRecord } from '../model/notification.ts';
import { toTarget, type Target } from '../model/recipient.ts';
import type { AcceptVerdict, NewNotification } from '../ports/ledger.ts';
import type { StandardResult } from '../schema.ts';
import type { ResolvedType } from '../settings.ts';
import { hint, type Context } from './context.ts';
import { drain, pagesOf } from './pages.ts';
import { BrokenTargets } from './target-reader.ts';

export interface PublishOptions {
  /** The producer's key; with tenant and type it names the notification. Required unless the type has `key`. */
  readonly key?: string;
  /** @defaultValue 'default' */
  readonly tenant?: string;
  /** Nothing is routed or sent before this. A Date or epoch ms. @defaultValue at once */
  readonly sendAt?: Date | number;
  /** No new attempt this long after `sendAt`, ms. @defaultValue the type's or class's */
  readonly expiresInMs?: number;
  /** Who gets it; required where the type has no `route`. An iterable is read once, page by page, and frozen. */
  readonly recipients?: Targets;
  /** The caller's own transaction, for a ledger that can join it. */
  readonly transaction?: unknown;
}

export type PublishResult =
  /** `repeated`: this very notification was accepted before; nothing was written. */
  { readonly kind: 'accepted' | 'repeated'; readonly id: string; readonly record: NotificationRecord };

interface Prepared {
  readonly entry: NewNotification;
  /** Recipients that are too many for one page; sealed page by page after the accept. */
  readonly rest: Targets | null;
  readonly transaction: unknown;
}

export interface PublishItem extends PublishOptions {
  readonly data: unknown;
}

/** What one item of `publishMany` came to; a conflict or bad item loses nobody else. */
export type PublishManyResult = PublishResult | { readonly kind: 'failed'; readonly error: SendonceError };

/** Checks, identifies and stores a batch: one ledger call for all whose recipients fit a page. */
export async function accept(
  context: Context,
  type: ResolvedType,
  items: readonly PublishItem[],
): Promise<readonly PublishManyResult[]> {
  const prepared = await Promise.all(items.map((item) => prepare(context, type, item).catch(toError)));
  const valid = prepared.filter((each): each is Prepared => !(each instanceof SendonceError));
  const transaction = valid[0]?.transaction;
  if (valid.some((each) => each.transaction !== transaction))
    throw new SendonceError(
      'OPTION_INVALID',
      'publishMany is one ledger call: give every item the same transaction, or none',
    );
  const verdicts =
    valid.length === 0
      ? []
      : await context.ledger.accept(
          valid.map((each) => each.entry),
          transaction === undefined ? {} : { transaction },
        );
  const results: PublishManyResult[] = [];
  let at = 0;
  for (const each of prepared) {
    if (each instanceof SendonceError) {
      results.push({ kind: 'failed', error: each });
      continue;
    }
    const verdict = verdicts[at++];
    if (verdict === undefined)
      throw new SendonceError('LEDGER_UNAVAILABLE', 'the ledger answered fewer verdicts than items; publish again');
    if (verdict.kind === 'conflict') results.push({ kind: 'failed', error: conflict(each.entry, verdict.record) });
    else results.push(await finished(context, each, verdict));
  }
  await wake(context, results);
  return results;
}

/** One call for all that may be routed at once, and one for each later time: a wake comes when there is something to do. */
async function wake(context: Context, results: readonly PublishManyResult[]): Promise<void> {
  const byDelay = new Map<number, string[]>();
  for (const result of results) {
    if (result.kind === 'failed' || !wantsWake(result.record)) continue;
    const delayMs = wakeInMs(context, result);
    const ids = byDelay.get(delayMs);
    if (ids === undefined) byDelay.set(delayMs, [result.id]);
    else ids.push(result.id);
  }
  for (const [delayMs, ids] of byDelay) await hint(context, context.eventsQueue, ids, delayMs);
}

/**
 * What was accepted just now is counted from the ledger's own clock, so that a wake is a little late rather than early: an early one
 * is told to come later, and then only the sweeper does.
 */
function wakeInMs({ clock }: Context, { kind, record }: PublishResult): number {
  if (record.sendAt === null) return 0;
  return Math.max(0, record.sendAt - (kind === 'accepted' ? record.acceptedAt : clock.now()));
}

function wantsWake(record: NotificationRecord): boolean {
  return (record.recipients === 'route' || record.sealed) && record.state !== 'expanded' && record.state !== 'done';
}

async function finished(
  context: Context,
  prepared: Prepared,
  { kind, record }: Exclude<AcceptVerdict, { kind: 'conflict' }>,
): Promise<PublishManyResult> {
  const { id } = prepared.entry;
  try {
    return { kind, id, record: await finish(context, prepared, record) };
  } catch (thrown) {
    if (thrown instanceof SendonceError) return { kind: 'failed', error: thrown };
    if (!(thrown instanceof BrokenTargets)) throw thrown;
    const message = `the recipients of ${nameOf(prepared.entry)} could not be read: ${thrown.message}. It is stored but not sealed: nobody is told until it is published again`;
    return { kind: 'failed', error: new SendonceError('DATA_INVALID', message, { cause: thrown.cause }) };
  }
}

/** Freezes the recipients that did not fit into the accept. A producer that dies in between leaves it unsealed: listed, never half sent. */
async function finish(context: Context, { rest }: Prepared, record: NotificationRecord): Promise<NotificationRecord> {
  if (rest === null || record.sealed || record.state === 'cancelled') return record;
  const { settings, ledger } = context;
  return drain(ledger, record, rest, { pageSize: settings.worker.chunk, fence: null, limit: null });
}

async function prepare(context: Context, type: ResolvedType, item: PublishItem): Promise<Prepared> {
  const data = await checkData(type, item.data);
  const tenant = item.tenant ?? 'default';
  const key = keyOf(type, item, data);
  const explicit = item.recipients !== undefined;
  if (!explicit && type.type.route === undefined)
    throw new SendonceError('RECIPIENTS_MISSING', `type '${type.name}' has no route, so publish needs { recipients }`);
  const { chunk } = context.settings.worker;
  const targets = Array.isArray(item.recipients)
    ? (item.recipients as Parameters<typeof toTarget>[0][]).map(toTarget)
    : null;
  const page = targets !== null && targets.length <= chunk ? targets : null;
  if (explicit && page === null && item.transaction !== undefined)
    throw new SendonceError(
      'OPTION_INVALID',
      `with a transaction the recipients must be an array of at most ${chunk} (worker.chunk): more are stored page by page, and those pages are not part of it`,
    );
  const entry: NewNotification = {
    id: notificationId(tenant, type.name, key),
    tenant,
    type: type.name,
    key,
    class: type.type.class,
    fingerprint: bodyFingerprint(data, item, targets, chunk),
    data,
    sendAt: sendAtOf(item),
    expiresInMs: expiresInOf(type, item),
    recipients: explicit ? 'explicit' : 'route',
    page,
  };
  return { entry, rest: explicit && page === null ? (item.recipients ?? null) : null, transaction: item.transaction };
}

/** Data and recipients given as an array are the body; an iterable can be read only once, so it is not. */
function bodyFingerprint(data: unknown, item: PublishItem, targets: readonly Target[] | null, chunk: number): string {
  let body = fingerprint([data, sendAtOf(item)]);
  // Page by page, so that a million recipients never stand in one string.
  for (const page of targets === null ? [] : pagesOf(targets, chunk)) body = fingerprint([body, page]);
  return body;
}

function sendAtOf({ sendAt }: PublishItem): number | null {
  if (sendAt === undefined) return null;
  const at = Number(sendAt);
  if (!Number.isFinite(at))
    throw new SendonceError('OPTION_INVALID', `sendAt must be a valid Date or epoch ms, got ${String(sendAt)}`);
  return at;
}

function expiresInOf(
  type: ResolvedType,
  { expiresInMs = type.policy.expiresInMs ?? undefined }: PublishItem,
): number | null {
  if (expiresInMs === undefined) return null;
  if (!(expiresInMs > 0))
    throw new SendonceError('OPTION_INVALID', `expiresInMs must be more than 0 ms, got ${expiresInMs}`);
  return expiresInMs;
}

async function checkData(type: ResolvedType, data: unknown): Promise<unknown> {
  const { schema } = type.type;
  let value = data;
  if (schema !== undefined) {
    const result: StandardResult<unknown> = await schema['~standard'].validate(data);
    if (result.issues !== undefined)
      throw new SendonceError(
        'DATA_INVALID',
        `data of '${type.name}' does not fit its schema: ${issuesOf(result.issues)}`,
      );
    value = result.value;
  }
  return roundTrip(type.name, value);
}

/** What is stored is JSON, so what the route sees is what JSON keeps; a Date arrives there as its ISO string on every backend alike. */
function roundTrip(name: string, value: unknown): unknown {
  try {
    const json = JSON.stringify(value ?? null);
    return json === undefined ? null : (JSON.parse(json) as unknown);
  } catch (cause) {
    throw new SendonceError(
      'DATA_UNSERIALIZABLE',
      `data of '${name}' cannot be stored as JSON (${String(cause)}); publish plain values`,
      { cause },
    );
  }
}

function issuesOf(issues: NonNullable<StandardResult<unknown>['issues']>): string {
  return issues
    .map(({ message, path }) => {
      const where = (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
      return where === '' ? message : `${where}: ${message}`;
    })
    .join('; ');
}

function keyOf(type: ResolvedType, item: PublishItem, data: unknown): string {
  const derive = type.type.key as ((data: unknown) => string) | undefined;
  const key = item.key ?? derive?.(data);
  if (typeof key !== 'string' || key === '')
    throw new SendonceError(
      'KEY_MISSING',
      `publishing '${type.name}' needs a key: pass { key } or give the type key(data); got ${JSON.stringify(key)}`,
    );
  return key;
}

function conflict(entry: NewNotification, known: NotificationRecord): SendonceError {
  return new SendonceError(
    'NOTIFICATION_CONFLICT',
    `${nameOf(entry)} was accepted at ${new Date(known.acceptedAt).toISOString()} with another body: stored ${known.fingerprint}, given ${entry.fingerprint}. ` +
      'Nothing was written. Use another key for another message; publish the same body to repeat this one',
  );
}

function nameOf({ tenant, type, key }: NewNotification): string {
  return `(${tenant}, ${type}, ${key})`;
}

function toError(thrown: unknown): SendonceError {
  if (thrown instanceof SendonceError) return thrown;
  return new SendonceError('DATA_INVALID', `the item could not be prepared: ${String(thrown)}`, { cause: thrown });
}
