import type { EventKind, EventOf } from '../history.ts';

/** What a part does with the events that it asks for. `slot` is the delivery's; -1 where an event is about none, or about several. */
export type Handlers = { readonly [Kind in EventKind]?: (event: EventOf<Kind>, slot: number) => void };
