import type { EventKind, EventOf, HistoryEvent, Observer } from '../history.ts';
import type { Checker } from './checker.ts';
import type { Handlers } from './handlers.ts';
import type { Slots } from './slots.ts';

type Handler = (event: never, slot: number) => void;
type MadeHandler = NonNullable<Checker['made']>;

/** Finds the slot of each event once, and calls those that asked for its kind: the checkers first, then the books that they read. */
export class Dispatcher implements Observer {
  events = 0;
  readonly #slots: Slots;
  readonly #handlers = new Map<EventKind, Handler[]>();
  readonly #made: readonly MadeHandler[];

  constructor(slots: Slots, parts: readonly { readonly on: Handlers; readonly made?: MadeHandler | undefined }[]) {
    this.#slots = slots;
    this.#made = parts.flatMap(({ made }) => made ?? []);
    for (const { on } of parts) {
      for (const [kind, handler] of Object.entries(on) as [EventKind, Handler][]) {
        const handlers = this.#handlers.get(kind);
        if (handlers === undefined) this.#handlers.set(kind, [handler]);
        else handlers.push(handler);
      }
    }
  }

  on(event: HistoryEvent): void {
    this.events += 1;
    const slot = this.#slotOf(event);
    if (event.kind === 'add') this.#pageMade(event);
    const handlers = this.#handlers.get(event.kind);
    if (handlers === undefined) return;
    for (let i = 0; i < handlers.length; i += 1) handlers[i]?.(event as never, slot);
  }

  #slotOf(event: HistoryEvent): number {
    switch (event.kind) {
      case 'claim':
        return this.#slots.of(event.verdict.id);
      case 'renew':
      case 'release':
      case 'mark':
      case 'settle':
      case 'reconcile':
      case 'cancel':
        return this.#slots.of(event.request.id);
      case 'provider':
      case 'lookup':
        return this.#slots.of(event.deliveryId);
      case 'queue':
        return event.op === 'wiped' ? -1 : this.#slots.of(event.id);
      case 'replay':
        return this.#replayed(event);
      case 'add':
      case 'claim-notification':
      case 'process':
      case 'fault':
      case 'heal':
      case 'epoch':
      case 'sweep':
      case 'suppress':
        return -1;
    }
  }

  #replayed({ request, verdict }: EventOf<'replay'>): number {
    const slot = this.#slots.of(request.id);
    if (verdict.kind === 'replayed' && verdict.id !== request.id)
      this.#slots.generation(verdict.id, this.#slots.recipientOf(slot));
    return slot;
  }

  #pageMade(event: EventOf<'add'>): void {
    const { verdict, request } = event;
    if (verdict.kind !== 'added' && verdict.kind !== 'repeated') return;
    const inserted = verdict.kind === 'added' ? verdict.inserted : [];
    const all = inserted.length === request.deliveries.length;
    const some = all || inserted.length === 0 ? null : new Set(inserted);
    for (const delivery of request.deliveries) {
      const slot = this.#slots.of(delivery.id);
      // Somebody who is named twice in one page is inserted once.
      const isNew = some === null ? all : some.delete(delivery.id);
      for (let i = 0; i < this.#made.length; i += 1) this.#made[i]?.(delivery, slot, event, isNew);
    }
  }
}
