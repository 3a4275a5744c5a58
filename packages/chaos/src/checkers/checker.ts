import type { NewDelivery } from '@sendonce/core';
import type { EventOf } from '../history.ts';
import type { Attempts } from './attempts.ts';
import type { Causes } from './causes.ts';
import type { Column, ColumnKind } from './column.ts';
import type { JudgeContext } from './context.ts';
import type { Extras } from './extras.ts';
import type { EndFacts, FinalDelivery } from './facts.ts';
import type { Handlers } from './handlers.ts';
import type { Slots } from './slots.ts';
import type { States } from './states.ts';

export interface Finding {
  readonly invariant: string;
  readonly at: number;
  /** -1: about no recipient. */
  readonly slot: number;
  readonly deliveryId: string | null;
  readonly message: string;
}

/** What every checker gets: the world's facts, the shared books, and where to report. */
export interface CheckerContext extends JudgeContext {
  readonly slots: Slots;
  /** The books hold what was true *before* the event that a checker looks at. */
  readonly attempts: Attempts;
  readonly causes: Causes;
  readonly extras: Extras;
  readonly states: States;
  column(kind: ColumnKind): Column;
  report(finding: Finding): void;
}

/** A fold over the history that reports what breaks its invariant. Allocates nothing while all is well. */
export interface Checker {
  readonly invariants: readonly string[];
  readonly on: Handlers;
  /** Each delivery of a page that was added (`inserted`) or added again. */
  readonly made?: (delivery: NewDelivery, slot: number, event: EventOf<'add'>, inserted: boolean) => void;
  /** Each delivery in the ledger when the run is over. */
  readonly final?: (delivery: FinalDelivery, slot: number, endedAt: number) => void;
  readonly end?: (facts: EndFacts) => void;
}

export type CheckerFactory = (context: CheckerContext) => Checker;
