import { draw, hashText, unit } from '../kernel/draw.ts';
import type { CallFault } from '../plan.ts';
import type { WorkloadSpec } from '../workload.ts';
import { recipientCount, type Case } from './case.ts';

const DROP = hashText('drop');
/** Sends that one notification of a type with a route is expected to make at most; how many it makes is known only when it is routed. */
const SENDS_PER_SAMPLE = 3;

/**
 * The faults that `dropAcks` stands for: at the first send to each drawn recipient the provider takes the message and its reply is lost.
 * A draw per recipient: leaving one out changes no other. The recipients of a user's own types are not known beforehand, so there it is
 * the drawn sends of the run, whosoever they are to.
 */
export function lostReplies({ seed, setup }: Case, share: number, workload: WorkloadSpec | null): readonly CallFault[] {
  if (share <= 0) return [];
  const hash = hashText(seed);
  const isDrawn = (n: number): boolean => unit(draw(hash, DROP, n, 0)) < share;
  if (workload?.kind === 'config')
    return upTo(sendsOf(workload, recipientCount(setup)))
      .filter(isDrawn)
      .map((n) => lost('*', n + 1));
  const { recipients } = setup;
  const numbers = typeof recipients === 'number' ? upTo(recipients) : recipients;
  return numbers.filter(isDrawn).map((n) => lost(`r${n}`, 1));
}

function sendsOf({ config, samples, targets }: Extract<WorkloadSpec, { kind: 'config' }>, recipients: number): number {
  const types = Object.values(config.notifications);
  const plain = types.filter(({ route }) => route === undefined).length;
  return plain * (targets?.length ?? recipients) + (plain < types.length ? samples * SENDS_PER_SAMPLE : 0);
}

function lost(entity: string, nth: number): CallFault {
  return { do: 'reply-lost', op: 'provider.send', entity, nth, phase: 'A' };
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}
