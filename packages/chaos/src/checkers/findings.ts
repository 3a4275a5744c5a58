import type { Violation } from '../result.ts';
import type { Misfit } from '../tally.ts';
import type { Finding } from './checker.ts';
import type { Slots } from './slots.ts';

const MOST = 1_000;

/** What was found, each invariant once per delivery; the first 1,000. */
export class Findings {
  readonly violations: Violation[] = [];
  readonly #slots: Slots;
  readonly #seen = new Set<string>();
  /** Recipients that some broken safety is about. */
  readonly #named = new Set<number>();

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  report({ invariant, at, slot, deliveryId, message }: Finding): void {
    const recipient = slot < 0 ? -1 : this.#slots.recipientOf(slot);
    // The ends are the net under all others: they say only what nobody has said yet.
    if (invariant === 'END' && this.#named.has(recipient)) return;
    const kind = invariant.startsWith('L') ? 'liveness' : 'safety';
    if (recipient >= 0 && kind === 'safety') this.#named.add(recipient);
    const key = slot < 0 ? `${invariant} ${message}` : `${invariant} ${slot}`;
    if (this.#seen.has(key) || this.violations.length >= MOST) return;
    this.#seen.add(key);
    this.violations.push({
      invariant,
      kind,
      at,
      recipient: recipient < 0 ? null : `r${recipient}`,
      deliveryId,
      message,
    });
  }

  /** What the final count shows. */
  misfit({ recipient, end, message, unsettled }: Misfit, at: number): void {
    if (unsettled && (this.has('L2') || this.has('L3') || this.has('L4'))) return;
    if (end === 'phantom' && this.has('S7')) return;
    this.report({ invariant: 'END', at, slot: recipient ?? -1, deliveryId: null, message });
  }

  has(invariant: string): boolean {
    return this.violations.some((violation) => violation.invariant === invariant);
  }

  hasFor(invariant: string, slots: readonly number[]): boolean {
    return this.violations.length > 0 && slots.some((slot) => this.#seen.has(`${invariant} ${slot}`));
  }
}
