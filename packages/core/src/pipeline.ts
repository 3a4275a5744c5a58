import { accept } from './stages/accept.ts';
import { markRequest, prepare, send } from './stages/deliver.ts';
import { fanOut } from './stages/fan-out.ts';
import { reconcile } from './stages/reconcile.ts';
import { replay } from './stages/replay.ts';
import { route } from './stages/route.ts';
import { settle } from './stages/settle.ts';

/**
 * The flow, in order. Deciding (accept, route, fan out) and delivering (prepare, mark, send, settle) meet only at the ledger; what
 * cannot be known goes through reconcile, and what gave up comes back only by replay. `worker/` runs these in batches.
 */
export const pipeline = {
  /** Check, identify, store. Milliseconds; no provider is called. */
  accept: accept as typeof accept,
  /** Who gets it, and where: the type's own rules. */
  route: route as typeof route,
  /** One delivery per recipient, page by page, each exactly once. */
  fanOut: fanOut as typeof fanOut,
  /** Make the content, once. */
  prepare: prepare as typeof prepare,
  /** Write ahead: the attempt is durable before the first byte. */
  markRequest: markRequest as typeof markRequest,
  /** One call of one provider. */
  send: send as typeof send,
  /** What the outcome means for what comes next. */
  settle: settle as typeof settle,
  /** What to do about an unknown outcome: replay by key, look up, or what the class says. */
  reconcile: reconcile as typeof reconcile,
  /** A deliberate second send, as a new generation. */
  replay: replay as typeof replay,
};
