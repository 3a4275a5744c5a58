import type { EventOf } from '../history.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** S14: an attempt is counted if and only if its mark committed; charged are those that no settle refunded. */
export function counting(context: CheckerContext): Checker {
  const { attempts } = context;
  const refunded = context.column('u16');
  // A store that lost its memory counts from what it still knows.
  let forgot = false;

  function compare(at: number, slot: number, deliveryId: string, counted: number, charged: number): void {
    const marks = attempts.count(slot);
    const report = (message: string): void => context.report({ invariant: 'S14', at, slot, deliveryId, message });
    if (counted !== marks) report(`the record counts ${counted} attempts, and ${marks} marks were committed`);
    else if (charged !== marks - refunded.get(slot))
      report(`the record charges ${charged} attempts; ${marks} were marked and ${refunded.get(slot)} refunded`);
  }

  function marked({ at, request, verdict }: EventOf<'mark'>, slot: number): void {
    if (verdict.kind !== 'go' || forgot) return;
    const last = attempts.lastNumber(slot);
    const expected = attempts.isRepeat(slot, request.fence) ? last : last + 1;
    if (verdict.attempt === expected) return;
    const message = `a mark was answered with attempt ${verdict.attempt}; it is number ${expected}`;
    context.report({ invariant: 'S14', at, slot, deliveryId: request.id, message });
  }

  return {
    invariants: ['S14'],
    on: {
      mark: marked,
      claim({ at, verdict }, slot) {
        if (verdict.kind !== 'granted' || forgot) return;
        const { record } = verdict;
        compare(at, slot, verdict.id, record.attempts.length, record.charged);
      },
      settle({ at, request, verdict }, slot) {
        const { outcome, attempt } = request;
        if (request.refund !== (outcome.kind === 'deferred')) {
          const message = `attempt ${attempt} was ${outcome.kind}, and it is ${request.refund ? 'not ' : ''}charged`;
          context.report({ invariant: 'S14', at, slot, deliveryId: request.id, message });
        }
        if (!request.refund || verdict.kind === 'absent' || request.outcome.kind === 'unknown') return;
        if (attempts.isOpenAttempt(slot, request.attempt, request.fence)) refunded.add(slot, 1);
      },
      epoch() {
        forgot = true;
      },
    },
    final({ id, attempts: counted, charged }, slot, at) {
      if (!forgot) compare(at, slot, id, counted, charged);
    },
  };
}
