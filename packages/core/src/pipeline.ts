import { accept } from './stages/accept.ts';
import { markRequest, prepareAll, send } from './stages/deliver.ts';
import { fanOut } from './stages/fan-out.ts';
import { reconcile } from './stages/reconcile.ts';
import { replay } from './stages/replay.ts';
import { askRoute } from './stages/route.ts';
import { settle } from './stages/settle.ts';

/**
 * The flow, in order. Deciding (accept, route, fan out) and delivering (prepare, mark, send, settle) meet only at the ledger; what
 * cannot be known goes through reconcile, and what gave up comes back only by replay. `worker/` runs these in batches.
 */
export const pipeline: {
  /** Check, identify, store. Milliseconds; no provider is called. */
  readonly accept: typeof accept;
  /** Who gets it, and where: the type's own rules. */
  readonly route: typeof askRoute;
  /** One delivery per recipient, page by page, each exactly once. */
  readonly fanOut: typeof fanOut;
  /** Make the content, once. */
  readonly prepare: typeof prepareAll;
  /** Write ahead: the attempt is durable before the first byte. */
  readonly markRequest: typeof markRequest;
  /** One call of one provider. */
  readonly send: typeof send;
  /** What the outcome means for what comes next. */
  readonly settle: typeof settle;
  /** What to do about an unknown outcome: replay by key, look up, or what the class says. */
  readonly reconcile: typeof reconcile;
  /** A deliberate second send, as a new generation. */
  readonly replay: typeof replay;
} = { accept, route: askRoute, fanOut, prepare: prepareAll, markRequest, send, settle, reconcile, replay };
