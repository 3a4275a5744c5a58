import type { DeadLetterRetry } from '../config.ts';
import type { ReplayVerdict } from '../ports/ledger.ts';
import type { Context } from './context.ts';
import { hint } from './hint.ts';
import { emitMove, recordsToTell } from './events.ts';

export interface ReplayOptions {
  /** Who asks. Stored with the new generation. */
  readonly by: string;
  readonly why: string;
  /** Send even where an earlier generation is known to be sent. @defaultValue false */
  readonly force?: boolean;
}

/** Sends dead letters again as a new generation. Repeating it, in part or from elsewhere, makes no second one. */
export async function replay(
  context: Context,
  ids: readonly string[],
  options: ReplayOptions,
  automatic = false,
): Promise<readonly ReplayVerdict[]> {
  const { by, why, force: forced = false } = options;
  const verdicts = await context.ledger.replay(ids.map((id) => ({ id, by, why, forced, automatic })));
  const made = verdicts.flatMap((verdict) => (verdict.kind === 'replayed' ? [verdict.id] : []));
  await hint(context, context.queue, made);
  // Born queued, whatever a worker has made of it since.
  for (const record of await recordsToTell(context, made))
    emitMove(context, record, 'queued', `generation ${record.generation}: ${why}`);
  return verdicts;
}

const REDRIVE_BATCH = 200;

/**
 * One bounded round of the automatic dead-letter retry. Only `dead`: a permanent failure or a parked delivery is a person's decision.
 * Goes on from `cursor`, and answers where the next round does: what is refused (expired, opted out) must not stand in the way for ever.
 */
export async function redrive(
  context: Context,
  policy: DeadLetterRetry,
  cursor: string | null,
): Promise<string | null> {
  const filter = { states: ['dead'] as const, settledForMs: policy.afterMs, redrivesBelow: policy.max };
  const page = await context.ledger.list(filter, { limit: REDRIVE_BATCH, cursor });
  const ids = page.items.map((item) => item.id);
  if (ids.length > 0)
    await replay(context, ids, { by: 'deadLetterRetry', why: `automatic, ${policy.afterMs} ms after it died` }, true);
  return page.cursor;
}
