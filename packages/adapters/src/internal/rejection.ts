import type { Outcome } from '@sendonce/core';

/** What an adapter can tell without asking anybody. */
export type Rejection = Extract<Outcome, { kind: 'rejected' }>;
