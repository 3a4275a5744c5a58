import type { Rejection } from '../rejection.ts';

/** A message that can never be sent as it is. The reason says why, without the content. */
export function badMessage(reason: string): Rejection {
  return { kind: 'rejected', scope: 'message', reason };
}

/** An address to which nothing can ever be sent. The reason does not repeat it. */
export function badDestination(reason: string): Rejection {
  return { kind: 'rejected', scope: 'destination', reason };
}
