import { acceptances } from './acceptances.ts';
import { acks } from './acks.ts';
import { answers } from './answers.ts';
import { byTheClass } from './by-the-class.ts';
import { children } from './children.ts';
import { contents } from './contents.ts';
import type { CheckerFactory } from './checker.ts';
import { counting } from './counting.ts';
import { deadLetters } from './dead-letters.ts';
import { explained } from './explained.ts';
import { falseDedup } from './false-dedup.ts';
import { fences } from './fences.ts';
import { forbidden } from './forbidden.ts';
import { leases } from './leases.ts';
import { leftOver } from './left-over.ts';
import { livelock } from './livelock.ts';
import { nextAttempt, otherProvider } from './next-attempt.ts';
import { noFaults } from './no-faults.ts';
import { owners } from './owners.ts';
import { poison } from './poison.ts';
import { progress } from './progress.ts';
import { sameKey } from './same-key.ts';
import { settledInTime } from './settled-in-time.ts';
import { writeAhead } from './write-ahead.ts';

/** Every checker but S5, which lives in the book of states, and the final count. */
export const CHECKERS: readonly CheckerFactory[] = [
  acceptances,
  writeAhead,
  fences,
  owners,
  acks,
  contents,
  nextAttempt,
  sameKey,
  otherProvider,
  children,
  falseDedup,
  deadLetters,
  counting,
  forbidden,
  answers,
  byTheClass,
  progress,
  settledInTime,
  livelock,
  leases,
  leftOver,
  poison,
  noFaults,
  explained,
];

/** What is judged, in order. */
export const INVARIANTS = [
  ...['S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S8', 'S9', 'S10', 'S11', 'S12', 'S13', 'S14', 'S15', 'S17', 'S18'],
  ...['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7'],
  ...['META', 'END'],
] as const;

/** What is promised and not judged yet. Shown wherever the judged ones are. */
export const LATER: readonly { readonly invariant: string; readonly about: string }[] = [
  { invariant: 'S16', about: "the provider's rate and concurrency limits hold across restarts" },
  { invariant: 'S5 (webhooks)', about: 'webhook and response give the same state in either order' },
];
