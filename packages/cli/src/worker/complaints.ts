import type { OutcomeKind, TelemetryEvent } from '@sendonce/core';
import { withAddresses } from '../operate/mask.ts';
import { reasonGroup } from '../operate/reason-group.ts';
import { plural } from '../operate/words.ts';

/** Failures come in crowds: how long the first of a kind waits for the others, ms. */
const GATHER_MS = 250;
/** At most one line of a kind within this time, ms. */
const QUIET_MS = 10_000;
/** More different kinds than a person reads; what is beyond them is in the events and in `notify status`. */
const MOST_KINDS = 50;
/** Deliveries of a kind that are asked for their next try. */
const MOST_ASKED = 20;

export interface ComplaintsOptions {
  readonly say: (words: string) => void;
  /** The earliest next try among these; null where there is none, or where nobody can tell. Must not reject. Epoch ms. */
  readonly dueOf: (ids: readonly string[]) => Promise<number | null>;
}

type Moved = Extract<TelemetryEvent, { kind: 'delivery.moved' }>;
type Ended = Extract<TelemetryEvent, { kind: 'attempt.ended' }>;

interface Kind {
  readonly words: string;
  count: number;
  ids: string[];
  timer: NodeJS.Timeout;
}

const WAYS: Readonly<Record<Exclude<OutcomeKind, 'accepted'>, string>> = {
  'not-sent': 'not sent by',
  deferred: 'put off by',
  rejected: 'refused by',
  unknown: 'unknown whether sent by',
};

/**
 * Why deliveries are not sent, from a worker's events, in few lines: one of each kind (channel, provider, reason) within ten seconds,
 * with how many there were. What a worker puts back because its config lacks something is told once.
 */
export class Complaints {
  readonly #options: ComplaintsOptions;
  readonly #kinds = new Map<string, Kind>();
  readonly #putBack = new Set<string>();
  /** An attempt is told just before the move that it led to. */
  #ended: Ended | null = null;

  constructor(options: ComplaintsOptions) {
    this.#options = options;
  }

  note(event: TelemetryEvent): void {
    if (event.kind === 'attempt.ended') this.#ended = event;
    if (event.kind === 'delivery.moved') {
      const ended = this.#ended?.id === event.id ? this.#ended : null;
      this.#ended = null;
      this.#moved(event, ended);
    }
    if (event.kind === 'notification.moved' && (event.to === 'accepted' || event.to === 'expanding'))
      this.#once('put back', event.reason);
  }

  close(): void {
    for (const { timer } of this.#kinds.values()) clearTimeout(timer);
    this.#kinds.clear();
  }

  #moved({ id, channel, to, reason, provider }: Moved, ended: Ended | null): void {
    if (to !== 'queued' && to !== 'retry-scheduled' && to !== 'unknown' && to !== 'dead') return;
    if (ended !== null && ended.outcome !== 'accepted') {
      const { outcome, reason: why } = ended;
      this.#count(id, `${channel}: ${WAYS[outcome]} ${ended.provider}`, why, to === 'dead');
    } else if (to === 'unknown') this.#count(id, `${channel}: ${WAYS.unknown} ${provider}`, reason, false);
    else if (to === 'queued') this.#once('put back', reason);
    else if (to === 'retry-scheduled') this.#once('to be tried again', reason);
  }

  #once(what: string, reason: string | null): void {
    if (reason === null) return;
    const key = `${what} ${kindOf(reason)}`;
    if (this.#putBack.has(key) || this.#putBack.size >= MOST_KINDS) return;
    this.#putBack.add(key);
    this.#options.say(`${what}: ${reason}`);
  }

  #count(id: string, who: string, reason: string | null, isDead: boolean): void {
    const key = JSON.stringify([who, kindOf(reason), isDead]);
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      if (this.#kinds.size >= MOST_KINDS) return;
      const words = reason === null ? who : `${who}: ${reason}`;
      kind = { words, count: 0, ids: [], timer: this.#later(key, GATHER_MS) };
      this.#kinds.set(key, kind);
    }
    kind.count += 1;
    if (kind.ids.length < MOST_ASKED) kind.ids.push(id);
  }

  #later(key: string, ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#tell(key), ms).unref();
  }

  async #tell(key: string): Promise<void> {
    const kind = this.#kinds.get(key);
    if (kind === undefined) return;
    const { words, count, ids } = kind;
    if (count === 0) {
      this.#kinds.delete(key);
      return;
    }
    kind.count = 0;
    kind.ids = [];
    kind.timer = this.#later(key, QUIET_MS);
    const dueAt = await this.#options.dueOf(ids);
    const next = dueAt === null ? '' : `; next try ${new Date(dueAt).toISOString().slice(11, 19)}Z`;
    this.#options.say(`${words}, ${plural(count, 'delivery', 'deliveries')}${next}`);
  }
}

/** Without any letter of an address: each of them would be a kind. */
function kindOf(reason: string | null): string {
  return reasonGroup(reason === null ? null : withAddresses(reason, () => '…'));
}
