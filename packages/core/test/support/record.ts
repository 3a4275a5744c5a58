import type { Attempt, DeliveryRecord } from '../../src/index.ts';
import { providerKey } from '../../src/index.ts';

/** The store's clock at the start of every story told by steps. */
export const T0 = 1_700_000_000_000;
export const ID = 'd_story';

/** A delivery that nobody has touched yet. */
export function delivery(patch: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    v: 1,
    id: ID,
    notificationId: 'n_story',
    tenant: 'default',
    type: 'order',
    class: 'transactional',
    target: { channel: 'email', to: 'a@example.org', recipientId: 'a@example.org', destinationId: '', data: {} },
    generation: 0,
    state: 'queued',
    fence: 0,
    owner: null,
    requestId: null,
    leaseUntil: null,
    dispatchUntil: null,
    dueAt: T0,
    expiresAt: null,
    provider: 'p0',
    attempts: [],
    charged: 0,
    maxAttempts: 5,
    lapses: 0,
    failures: 0,
    declarations: [],
    topic: 'order',
    message: null,
    forbidden: null,
    assumed: false,
    reason: null,
    createdAt: T0,
    updatedAt: T0,
    settledAt: null,
    replaces: null,
    replacedBy: null,
    operator: null,
    forced: false,
    redrives: 0,
    ...patch,
  };
}

/** An attempt of that delivery, open unless told otherwise. */
export function attempt(patch: Partial<Attempt> = {}): Attempt {
  const provider = patch.provider ?? 'p0';
  return {
    n: 1,
    provider,
    key: providerKey(ID, provider),
    fence: 1,
    markedAt: T0,
    sendDeadline: T0 + 55_000,
    outcome: null,
    arrival: null,
    charged: true,
    presumed: false,
    ...patch,
  };
}

/** A record whose attempts are these, charged accordingly. */
export function withAttempts(attempts: readonly Attempt[], patch: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return delivery({ attempts, charged: attempts.filter((each) => each.charged).length, ...patch });
}
