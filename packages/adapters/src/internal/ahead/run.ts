import { epochs, newEpoch, type Epochs, type Records } from '@sendonce/core/records';
import type { Known } from './known.ts';
import { runDeliveries, type RunDeliveries } from './run-deliveries.ts';
import { runEvidence, type RunEvidence } from './run-evidence.ts';
import { runGates, type RunGates } from './run-gates.ts';
import { runNotifications, type RunNotifications } from './run-notifications.ts';
import { scanOf } from './scan.ts';
import { plain } from './plain.ts';

/** One run of a call over what is known: what it sees, and what it changed. */
export interface Run {
  readonly records: Records;
  readonly deliveries: RunDeliveries;
  readonly notifications: RunNotifications;
  readonly gates: RunGates;
  readonly evidence: RunEvidence;
  readonly epochs: Epochs;
  readonly claim: { readonly requestId: string; readonly ids: readonly string[]; readonly untilMs: number } | null;
  readonly strays: ReadonlySet<string>;
  readonly refusedMoves: number;
  readonly wantsHousekeeping: boolean;
}

export interface RunOptions {
  readonly quarantineMs: number;
  /** How many of the longest due a scan passes over. */
  readonly skip: (expected: number) => number;
}

export function runOf(known: Known, { quarantineMs, skip }: RunOptions): Run {
  const { store } = known;
  const nowMs = store?.nowMs ?? 0;
  const now = (): number => nowMs;
  const epoch = epochsOf(known);
  // Another server or timeline than the one that these tables were last used on may have lost the last writes (PROTOCOL rule 12).
  if (store !== null && store.identity !== store.identityNow) epoch.begin(nowMs, quarantineMs);
  const scan = scanOf(known, now, skip);
  const evidence = runEvidence(known);
  const gates = runGates(known);
  const notifications = runNotifications(known, scan);
  const strays = new Set<string>();
  let refusedMoves = 0;
  const countRefusedMove = (): void => void (refusedMoves += 1);
  const deliveries = runDeliveries(known, { now, notifications, evidence, scan, countRefusedMove });
  let claim: Run['claim'] = null;
  let wantsHousekeeping = false;

  const records: Records = {
    now,
    epochs: epoch,
    gates,
    claims: {
      grantedTo(requestId) {
        const [row] = known.values('request', plain(requestId)) ?? [];
        return row === undefined ? null : (JSON.parse(row.x) as string[]);
      },
      remember(requestId, ids, untilMs) {
        claim = { requestId, ids, untilMs };
      },
    },
    deliveries,
    notifications,
    keepEvidence: (each) => evidence.keep(each),
    addStray: (id) => void strays.add(id),
    countRefusedMove,
    compactDue: () => void (wantsHousekeeping = true),
  };

  return {
    records,
    deliveries,
    notifications,
    gates,
    evidence,
    epochs: epoch,
    strays,
    get claim() {
      return claim;
    },
    get refusedMoves() {
      return refusedMoves;
    },
    get wantsHousekeeping() {
      return wantsHousekeeping;
    },
  };
}

/** All grants of one call carry the fence that the call took: a fence rises with each claim of its record, and names no other. */
function epochsOf(known: Known): Epochs {
  const saved = known.store?.epoch ?? newEpoch(0);
  const whole = epochs(saved);
  const fence = (): number => {
    known.wantFence();
    return whole.next();
  };
  return {
    next: fence,
    used() {},
    mint: fence,
    get changedAt() {
      return whole.changedAt;
    },
    quarantineMs: (now) => whole.quarantineMs(now),
    begin: (now, forMs) => whole.begin(now, forMs),
    isReckoningDue: (now) => whole.isReckoningDue(now),
    isSuspect: (notification) => whole.isSuspect(notification),
    get saved() {
      return whole.saved;
    },
  };
}
