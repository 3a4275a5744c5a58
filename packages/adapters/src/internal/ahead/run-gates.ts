import type { BlockRequest, SuppressRequest } from '@sendonce/core';
import { blockScopes, type Gates } from '@sendonce/core/records';
import type { Known } from './known.ts';
import { plain } from './plain.ts';

/** Opt-outs and blocks, as one run of a call sees them. */
export interface RunGates extends Gates {
  /** Whether a decision of this run rests on them. */
  readonly wereAsked: boolean;
  /** What was changed, the last word on each. */
  readonly suppressions: ReadonlyMap<string, SuppressRequest>;
  readonly blocks: ReadonlyMap<string, BlockRequest>;
}

export function runGates(known: Known): RunGates {
  const suppressions = new Map<string, SuppressRequest>();
  const blocks = new Map<string, BlockRequest>();
  let wereAsked = false;

  function stands(tenant: string, recipient: string, topic: string, channel: string): boolean {
    if (suppressions.size > 0) {
      const own = suppressions.get(JSON.stringify([tenant, recipient, topic, channel]));
      if (own !== undefined) return own.suppressed;
    }
    if (known.store?.hasSuppressions === false) return false;
    const rows = known.values('suppressed', plain(tenant), plain(recipient)) ?? [];
    return rows.some((row) => row.x === plain(topic) && row.y === channel);
  }

  return {
    get wereAsked() {
      return wereAsked;
    },
    suppressions,
    blocks,
    suppress(request) {
      const { tenant, recipientId, topic, channel } = request;
      suppressions.set(JSON.stringify([tenant, recipientId, topic, channel]), request);
    },
    isSuppressed({ tenant, topic, target: { recipientId, channel } }) {
      wereAsked = true;
      if (topic === null) return false;
      return [topic, '*'].some((each) => [channel, '*'].some((way) => stands(tenant, recipientId, each, way)));
    },
    block(request) {
      blocks.set(request.scope, request);
    },
    blockOn(record) {
      wereAsked = true;
      for (const scope of blockScopes(record)) {
        const own = blocks.get(scope);
        const recheckMs = own === undefined ? known.store?.blocks.get(scope) : own.blocked ? own.recheckMs : undefined;
        if (recheckMs !== undefined) return { scope, recheckMs };
      }
      return null;
    },
  };
}
