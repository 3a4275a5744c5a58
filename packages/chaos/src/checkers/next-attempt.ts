import type { EventOf } from '../history.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { policyFacts } from './context.ts';

/** Why a mark beside an open attempt, or after an acceptance, is not covered; null when it is. */
type Uncovered = 'accepted' | 'same-provider' | 'other-provider';

function uncovered(
  context: CheckerContext,
  keyed: ReadonlySet<string>,
  { request }: EventOf<'mark'>,
  slot: number,
): Uncovered | null {
  const { attempts, slots } = context;
  if (attempts.isAccepted(slot)) return 'accepted';
  if (!attempts.hasOpen(slot)) return null;
  const isSame = attempts.firstOpenAt(slot, request.provider) < Infinity;
  // Whether key, content and window are right is S9's to say.
  if (isSame && keyed.has(request.provider)) return null;
  const declared = attempts.declared(slot);
  const recipient = slots.recipientOf(slot);
  const isDeclared =
    declared?.provider === request.provider &&
    recipient >= 0 &&
    policyFacts(context.policyOf(recipient))[declared.kind];
  if (isDeclared) return null;
  return isSame ? 'same-provider' : 'other-provider';
}

function markChecker(context: CheckerContext, invariant: string, words: Partial<Record<Uncovered, string>>): Checker {
  const { attempts } = context;
  const keyed = new Set(context.providers.filter(({ keyWindowMs }) => keyWindowMs !== null).map(({ name }) => name));
  return {
    invariants: [invariant],
    on: {
      mark(event, slot) {
        const { at, request, verdict } = event;
        if (verdict.kind !== 'go' || attempts.count(slot) === 0 || attempts.isRepeat(slot, request.fence)) return;
        const why = uncovered(context, keyed, event, slot);
        const message = why === null ? undefined : words[why];
        if (message !== undefined)
          context.report({
            invariant,
            at,
            slot,
            deliveryId: request.id,
            message: `attempt ${verdict.attempt} at ${request.provider} was marked ${message}`,
          });
      },
    },
  };
}

/** S8: the next attempt begins only when the earlier ones are known not accepted, or as the policy says: by key, or declared. */
export function nextAttempt(context: CheckerContext): Checker {
  return markChecker(context, 'S8', {
    accepted: 'although an earlier one was known to be accepted',
    'same-provider':
      'while an earlier one may have been accepted; it takes no key, and no possible duplicate was declared',
  });
}

/** S10: another provider is asked only when the earlier one is known not to have accepted, or under a declared failover. */
export function otherProvider(context: CheckerContext): Checker {
  return markChecker(context, 'S10', {
    'other-provider': 'while another provider may have accepted the message, and no failover was declared',
  });
}
