import type { Attempt } from '../../model/delivery.ts';
import { providerKey } from '../../model/keys.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { nameTable, type NameTable } from './name-table.ts';

/** What an attempt's row leaves to its record's. */
export interface AttemptOf {
  readonly id: string;
  readonly fence: number;
  readonly createdAt: number;
}

export interface AttemptCodec {
  write(to: ByteWriter, attempt: Attempt, of: AttemptOf): void;
  read(from: ByteReader, of: AttemptOf): Attempt;
}

const CHARGED = 1;
const PRESUMED = 2;
const KEY_AS_EXPECTED = 4;
const OUTCOME = 24;
const OUTCOME_NONE = 0;
/** An accepted one, whose id is a prefix that others have too, and a number. */
const OUTCOME_NUMBERED = 8;
const OUTCOME_ACCEPTED = 16;
const OUTCOME_OTHER = 24;
const ARRIVALS = [null, 'delivered', 'bounced', 'undeliverable'] as const;
const ARRIVAL_SHIFT = 5;

const NUMBERED = /^(\D{0,20})(0|[1-9]\d{0,13})$/;
const MOST_PREFIXES = 256;

/** Attempts in about fifteen bytes: the key follows from the names, times are differences, and many providers count their messages. */
export function attemptCodec(names: NameTable<string | null>): AttemptCodec {
  const prefixes = nameTable<string>(MOST_PREFIXES);

  return {
    write(to, { n, provider, key, fence, markedAt, sendDeadline, outcome, arrival, charged, presumed }, of) {
      const isExpected = key === providerKey(of.id, provider);
      const accepted = outcome?.kind === 'accepted' ? outcome.providerMessageId : null;
      const numbered = accepted === null ? null : NUMBERED.exec(accepted);
      const prefix = numbered === null ? -1 : prefixes.numberOf(numbered[1] as string);
      const outcomeFlag =
        outcome === null
          ? OUTCOME_NONE
          : accepted === null
            ? OUTCOME_OTHER
            : prefix < 0
              ? OUTCOME_ACCEPTED
              : OUTCOME_NUMBERED;
      to.byte(
        (charged ? CHARGED : 0) |
          (presumed ? PRESUMED : 0) |
          (isExpected ? KEY_AS_EXPECTED : 0) |
          outcomeFlag |
          (ARRIVALS.indexOf(arrival) << ARRIVAL_SHIFT),
      );
      to.number(n);
      to.number(names.numberOf(provider));
      if (!isExpected) to.text(key);
      to.number(fence - of.fence);
      to.number(markedAt - of.createdAt);
      to.number(sendDeadline - markedAt);
      if (outcomeFlag === OUTCOME_NUMBERED) {
        to.number(prefix);
        to.number(Number(numbered?.[2]));
      } else if (outcomeFlag === OUTCOME_ACCEPTED) to.text(accepted ?? '');
      else if (outcomeFlag === OUTCOME_OTHER) to.text(JSON.stringify(outcome));
    },
    read(from, of) {
      const flags = from.byte();
      const n = from.number();
      const provider = names.nameOf(from.number()) ?? '';
      const key = (flags & KEY_AS_EXPECTED) === 0 ? from.text() : providerKey(of.id, provider);
      const fence = from.number() + of.fence;
      const markedAt = from.number() + of.createdAt;
      return {
        n,
        provider,
        key,
        fence,
        markedAt,
        sendDeadline: from.number() + markedAt,
        outcome: readOutcome(from, flags & OUTCOME),
        arrival: ARRIVALS[flags >>> ARRIVAL_SHIFT] ?? null,
        charged: (flags & CHARGED) !== 0,
        presumed: (flags & PRESUMED) !== 0,
      };
    },
  };

  function readOutcome(from: ByteReader, kind: number): Outcome | null {
    if (kind === OUTCOME_NONE) return null;
    if (kind === OUTCOME_OTHER) return JSON.parse(from.text()) as Outcome;
    if (kind === OUTCOME_ACCEPTED) return { kind: 'accepted', providerMessageId: from.text() };
    return { kind: 'accepted', providerMessageId: prefixes.nameOf(from.number()) + from.number() };
  }
}
