import type { TelemetryEvent } from '@sendonce/core';
import { absolute } from '../operate/words.ts';
import { Progress } from './progress.ts';
import { wordsLine } from '../progress-line.ts';
import type { Terminal } from '../terminal.ts';
import { Complaints, type ComplaintsOptions } from './complaints.ts';
import type { Hashed } from './hashed.ts';
import { plainReason } from './plain-reason.ts';
import type { Vitals } from './vitals.ts';

/** What a worker says of itself beside its events. */
export interface WorkerNews {
  readonly kind: 'worker.started' | 'worker.waiting' | 'worker.stopping' | 'worker.stopped';
  readonly [field: string]: unknown;
}

export interface Voice {
  readonly event: (event: TelemetryEvent) => void;
  readonly news: (news: WorkerNews, words: string) => void;
  readonly close: () => void;
}

export interface VoiceOptions {
  readonly vitals: Vitals;
  readonly hashed: Hashed;
  readonly now: () => number;
  /** As in `ComplaintsOptions`. */
  readonly dueOf: ComplaintsOptions['dueOf'];
}

/** For programs: each event a line of JSON on stdout, times in ISO 8601, no address in clear. */
export function jsonVoice({ out }: Terminal, { hashed, now }: VoiceOptions): Voice {
  const line = (fields: object): void => out(`${JSON.stringify(fields)}\n`);
  return {
    event: (event) => {
      const reason = 'reason' in event && event.reason !== null ? { reason: hashed(event.reason) } : {};
      line({ ...event, at: absolute(event.at), ...reason });
    },
    news: ({ kind, ...fields }) => line({ kind, at: absolute(now()), ...fields }),
    close: () => undefined,
  };
}

/** For people, on stderr: what troubles it, and how much is done. */
export function wordsVoice(terminal: Terminal, { vitals, hashed, dueOf }: VoiceOptions): Voice {
  const line = wordsLine(terminal);
  const progress = new Progress(line, () => vitals.words);
  const say = (words: string): void => {
    line.clear();
    terminal.err(`${words}\n`);
  };
  const complaints = new Complaints({ say: (words) => say(hashed(words)), dueOf });
  return {
    event: (event) => {
      complaints.note(event);
      const words = wordsOf(event);
      if (words !== null) say(hashed(words));
      if (event.kind === 'delivery.moved') progress.moved();
    },
    news: (_news, words) => say(words),
    close: () => {
      complaints.close();
      progress.close();
      line.clear();
    },
  };
}

/** Null for what is counted, or told with others of its kind. */
function wordsOf(event: TelemetryEvent): string | null {
  switch (event.kind) {
    case 'worker.degraded':
      return `In trouble, and trying again: ${plainReason(event.reason)}`;
    case 'worker.recovered':
      return 'Works again.';
    case 'function.shared':
      return `The ${event.name} of '${event.type}' returns objects that it keeps: it is called once at a time.`;
    case 'worker.no-progress':
      return `No progress for ${Math.round(event.sinceMs / 1_000)} s although ${event.waiting} deliveries wait.`;
    case 'pruning.stopped':
      return `${event.dead} destinations of '${event.provider}' look dead and ${event.accepted} do not: none is given up until that is less.`;
    case 'pruning.resumed':
      return `Destinations that '${event.provider}' calls dead are given up again.`;
    case 'duplicate.recorded':
      return `A second acceptance of ${event.id} was recorded: somebody may have got it twice.`;
    case 'notification.moved':
      return event.to === 'failed' ? `${event.id} could not be routed: ${event.reason ?? 'no reason'}` : null;
    case 'delivery.moved':
    case 'attempt.ended':
    case 'delivery.failover':
    case 'delivery.stray':
      return null;
  }
}
