import type { NotificationRecord } from '../model/notification.ts';

/** Fences and the store's memory (PROTOCOL rule 12). A fence is `epoch * 2^21 + n`: whatever was forgotten, the next is higher. */
export interface Epochs {
  /** What the next grant gets; it counts once `used` says so. */
  next(): number;
  used(fence: number): void;
  /** A fresh fence, used at once. */
  mint(): number;
  /** When memory was last lost (epoch ms), or null. */
  readonly changedAt: number | null;
  /** How long nothing may move yet, ms; 0: all may. */
  quarantineMs(now: number): number;
  /** Memory was lost: a higher epoch, and quiet for a while. */
  begin(now: number, quarantineMs: number): void;
  /** True once after each quarantine: what is unproven has to be presumed sent now. */
  isReckoningDue(now: number): boolean;
  /** Whether what the store knew about its deliveries may have been forgotten. */
  isSuspect(notification: NotificationRecord): boolean;
  /** What has to be stored, for the next transaction to begin with. */
  readonly saved: SavedEpoch;
}

export interface SavedEpoch {
  /** The highest fence so far. */
  readonly last: number;
  /** Epoch ms. */
  readonly changedAt: number | null;
  readonly quietUntil: number;
  readonly isReckoned: boolean;
}

const FENCES_PER_EPOCH = 2 ** 21;

/** Of a new store: its fences begin with its first second. */
export function newEpoch(startMs: number): SavedEpoch {
  const last = Math.floor(startMs / 1_000) * FENCES_PER_EPOCH;
  return { last, changedAt: null, quietUntil: 0, isReckoned: true };
}

export function epochs(saved: SavedEpoch): Epochs {
  let { last, changedAt, quietUntil, isReckoned } = saved;

  return {
    get saved() {
      return { last, changedAt, quietUntil, isReckoned };
    },
    next: () => last + 1,
    used(fence) {
      if (fence > last) last = fence;
    },
    mint: () => (last += 1),
    get changedAt() {
      return changedAt;
    },
    quarantineMs: (now) => Math.max(0, quietUntil - now),
    begin(now, quarantineMs) {
      const epoch = Math.max(Math.floor(now / 1_000), Math.floor(last / FENCES_PER_EPOCH) + 1);
      last = epoch * FENCES_PER_EPOCH;
      changedAt = now;
      quietUntil = now + quarantineMs;
      isReckoned = false;
    },
    isReckoningDue(now) {
      if (isReckoned || now < quietUntil) return false;
      isReckoned = true;
      return true;
    },
    isSuspect: ({ acceptedAt }) => changedAt !== null && acceptedAt < Math.max(quietUntil, changedAt + 1),
  };
}
