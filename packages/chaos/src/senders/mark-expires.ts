import type { Ledger } from '@sendonce/core';
import { realWorker } from './parts.ts';
import type { KnownBadSender } from './sender.ts';

export const markExpires: KnownBadSender = {
  name: 'mark-expires',
  about: 'lets the mark "being sent" expire like a lease, and then sends again',
  why: 'the message of the dead or slow worker was accepted; its mark expired before its answer was written',
  instead: 'a mark never lapses into work: without an outcome it is unknown, and the policy decides',
  caughtBy: ['duplicated'],
  setup: { provider: 'plain' },
  kinds: ['kill', 'reply-lost', 'slow'],
  make: (config, options) => realWorker({ ...config, ledger: expiringMarks(config.ledger) }, options),
};

/** A sweep that puts what passed its dispatch window back to work, as if nothing had left. */
function expiringMarks(ledger: Ledger): Ledger {
  return Object.assign(Object.create(ledger) as Ledger, {
    async sweep(request: Parameters<Ledger['sweep']>[0]) {
      const swept = await ledger.sweep(request);
      const expired = swept.unknown.map((record) => {
        const next = { kind: 'retry', delayMs: 0, provider: record.provider, reason: 'the mark expired' } as const;
        return {
          id: record.id,
          fence: record.fence,
          decision: { kind: 'absent', provider: record.provider, next } as const,
        };
      });
      if (expired.length > 0) await ledger.reconcile(expired);
      return { ...swept, unknown: [] };
    },
  });
}
