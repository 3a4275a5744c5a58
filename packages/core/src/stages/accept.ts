import type { Targets } from '../config.ts';
import { fingerprint, notificationId } from '../model/keys.ts';
import { reasonOf, SendonceError } from '../model/errors.ts';
import { frozenCopy } from '../model/json.ts';
import type { NotificationRecord } from '../model/notification.ts';
import { toTarget, type Target, type TargetInput } from '../model/recipient.ts';
import { shown } from '../options.ts';
import type { AcceptVerdict, NewNotification } from '../ports/ledger.ts';
import type { StandardResult } from '../schema.ts';
import type { ResolvedType, Settings } from '../settings.ts';
import type { Context } from './context.ts';
import { hint } from './hint.ts';
import { sharing, type Answer } from './lanes.ts';
import { drain, pagesOf } from './pages.ts';
import { checkPublishItem, KEY_RULE, msOf, type PublishOptions } from './publish-options.ts';
import { storedJson } from './stored-json.ts';
import { BrokenTargets, pagesInHand, TargetReader, type TargetPages } from './target-reader.ts';
import { isThenable } from './thenable.ts';

export type PublishResult =
  /** `repeated`: this very notification was accepted before; nothing was written. */
  { readonly kind: 'accepted' | 'repeated'; readonly id: string; readonly record: NotificationRecord };

/** `from`: what a schema that took its time answered, where that is not what it was given. */
interface Prepared extends Answer {
  readonly entry: NewNotification;
  /** Recipients that are too many for one page; sealed page by page after the accept. */
  readonly rest: TargetPages | null;
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
  const given: unknown = items;
  if (!Array.isArray(given))
    throw new SendonceError('OPTION_INVALID', `publishMany takes an array of { data, key, ... }, got ${shown(given)}`);
  const prepared = unmixed(
    type,
    await Promise.all(Array.from(items, (item) => prepare(context, type, item).catch(toError))),
  );
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
    // The caller's own view of it: a ledger in this process may have handed out what it keeps.
    return { kind, id, record: frozenCopy(await finish(context, prepared, record), 'record') };
  } catch (thrown) {
    return { kind: 'failed', error: unsealed(prepared.entry, thrown) };
  }
}

/** Its source or its ledger broke off half-way, and the others of the batch are none the worse. */
function unsealed(entry: NewNotification, thrown: unknown): SendonceError {
  if (thrown instanceof SendonceError) return thrown;
  const isSource = thrown instanceof BrokenTargets;
  const what = isSource ? `read: ${thrown.message}` : `stored: ${reasonOf(thrown)}`;
  return new SendonceError(
    isSource ? 'DATA_INVALID' : 'LEDGER_UNAVAILABLE',
    `the recipients of ${nameOf(entry)} could not be ${what}. It is stored but not sealed: nobody is told until it is published again`,
    { cause: isSource ? thrown.cause : thrown },
  );
}

/** Freezes the recipients that did not fit into the accept. A producer that dies in between leaves it unsealed: listed, never half sent. */
async function finish(
  { ledger }: Context,
  { rest }: Prepared,
  record: NotificationRecord,
): Promise<NotificationRecord> {
  if (rest === null || record.sealed || record.state === 'cancelled') return record;
  return drain(ledger, record, rest, null);
}

/** All that is the caller's is read before the first wait: what happens to it after the call is no part of what was published. */
async function prepare(context: Context, type: ResolvedType, item: PublishItem): Promise<Prepared> {
  checkPublishItem(item);
  const { addresses: rules, worker } = context.settings;
  const { chunk } = worker;
  const { tenant = 'default', recipients, transaction } = item;
  if (recipients === undefined && type.type.route === undefined)
    throw new SendonceError('RECIPIENTS_MISSING', `type '${type.name}' has no route, so publish needs { recipients }`);
  const targets = Array.isArray(recipients)
    ? Array.from(recipients as TargetInput[], (each) => toTarget(each, rules))
    : null;
  const page = targets !== null && targets.length <= chunk ? targets : null;
  if (recipients !== undefined && page === null && transaction !== undefined)
    throw new SendonceError(
      'OPTION_INVALID',
      `with a transaction the recipients must be an array of at most ${chunk} (worker.chunk): more are stored page by page, and those pages are not part of it`,
    );
  const given = { key: item.key, sendAt: item.sendAt === undefined ? null : msOf(item.sendAt) };
  const expiresInMs = item.expiresInMs ?? type.policy.expiresInMs;
  const checked = checkData(type, item.data);
  const { data, from } = checked instanceof Promise ? await checked : checked;
  const key = keyOf(type, given.key, data);
  const entry: NewNotification = {
    id: notificationId(tenant, type.name, key),
    tenant,
    type: type.name,
    key,
    class: type.type.class,
    fingerprint: bodyFingerprint([data, given.sendAt], targets, chunk),
    data,
    sendAt: given.sendAt,
    expiresInMs,
    recipients: recipients === undefined ? 'route' : 'explicit',
    page,
  };
  return { entry, rest: page === null ? restOf(recipients, targets, context.settings) : null, transaction, from };
}

function restOf(
  recipients: Targets | undefined,
  targets: readonly Target[] | null,
  { addresses: rules, worker: { chunk } }: Settings,
): TargetPages | null {
  if (recipients === undefined) return null;
  // A producer's own source may take as long as it likes over a page.
  return targets === null
    ? new TargetReader(recipients, { pageSize: chunk, limit: null, rules })
    : pagesInHand(targets, chunk);
}

/** Data and recipients given as an array are the body; an iterable can be read only once, so it is not. */
function bodyFingerprint(rest: unknown, targets: readonly Target[] | null, chunk: number): string {
  let body = fingerprint(rest);
  // Page by page, so that a million recipients never stand in one string.
  for (const page of targets === null ? [] : pagesOf(targets, chunk)) body = fingerprint([body, page]);
  return body;
}

interface Checked extends Answer {
  readonly data: unknown;
}

/** At once where the schema answers at once, so that the data are copied before the caller goes on. */
function checkData(type: ResolvedType, data: unknown): Checked | Promise<Checked> {
  const { schema } = type.type;
  if (schema === undefined) return { data: stored(type.name, data), from: [] };
  const result = schema['~standard'].validate(data);
  if (!isThenable(result)) return { data: stored(type.name, valueOf(type.name, result)), from: [] };
  return Promise.resolve(result).then((later) => {
    const value = valueOf(type.name, later);
    const isOwn = typeof value === 'object' && value !== null && value !== data;
    return { data: stored(type.name, value), from: isOwn ? [value] : [] };
  });
}

/** A schema that fills one object for all that it is asked about may have given one item the data of another: neither is stored. */
function unmixed(
  { name }: ResolvedType,
  prepared: readonly (Prepared | SendonceError)[],
): readonly (Prepared | SendonceError)[] {
  const mixed = sharing(prepared.map((each) => (each instanceof SendonceError ? NOTHING : each)));
  return prepared.map((each, at) =>
    mixed.has(at)
      ? new SendonceError(
          'DATA_INVALID',
          `data of '${name}' cannot be told from another item's: its schema answered both with one object. Let it return a new one each time`,
        )
      : each,
  );
}

const NOTHING: Answer = { from: [] };

function valueOf(name: string, result: StandardResult<unknown>): unknown {
  if (result.issues === undefined) return result.value;
  throw new SendonceError('DATA_INVALID', `data of '${name}' does not fit its schema: ${issuesOf(result.issues)}`);
}

function stored(type: string, value: unknown): unknown {
  return frozenCopy(storedJson(value, { field: 'data', type }), 'data');
}

function issuesOf(issues: NonNullable<StandardResult<unknown>['issues']>): string {
  return issues
    .map(({ message, path }) => {
      const where = (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
      return where === '' ? message : `${where}: ${message}`;
    })
    .join('; ');
}

function keyOf(type: ResolvedType, given: string | undefined, data: unknown): string {
  if (given !== undefined) return given;
  const derive = type.type.key as ((data: unknown) => unknown) | undefined;
  const key = derive?.(data);
  if (typeof key === 'string' && KEY_RULE.fits(key)) return key;
  const why =
    derive === undefined ? 'pass { key } or give the type key(data)' : `its key(data) must give ${KEY_RULE.must}`;
  throw new SendonceError('KEY_MISSING', `publishing '${type.name}' needs a key: ${why}; got ${shown(key)}`);
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
  return new SendonceError('DATA_INVALID', `the item could not be prepared: ${reasonOf(thrown)}`, { cause: thrown });
}
