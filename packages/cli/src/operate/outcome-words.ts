import { ANY_PROVIDER, type Attempt, type Target } from '@sendonce/core';
import type { Masks } from './mask.ts';

/** `not sent: connection refused`. */
export function outcomeWords({ outcome, arrival }: Attempt, masks: Masks, target: Target): string {
  if (outcome === null) return 'no outcome yet';
  switch (outcome.kind) {
    case 'accepted': {
      const as = outcome.providerMessageId === '' ? '' : ` as ${outcome.providerMessageId}`;
      return `accepted${as}${arrival === null ? '' : `, then ${arrival}`}`;
    }
    case 'rejected': {
      const code = outcome.code === undefined ? '' : ` (${outcome.code})`;
      return `refused: ${masks.text(outcome.reason, target)}${code}`;
    }
    case 'deferred':
      return `put off: ${masks.text(outcome.reason, target)}`;
    case 'not-sent':
      return `not sent: ${masks.text(outcome.reason, target)}`;
    case 'unknown':
      return `unknown whether it was sent: ${masks.text(outcome.reason, target)}`;
  }
}

export function providerWords({ provider }: Pick<Attempt, 'provider'>): string {
  return provider === ANY_PROVIDER ? 'an unknown provider' : provider;
}
