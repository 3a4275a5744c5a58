import type { Outcome } from '@sendonce/core';
import { whenOver, type Deadline } from '../deadline.ts';

export type NotSent = Extract<Outcome, { kind: 'not-sent' }>;

/** A token, and when it is no longer to be used, epoch ms. */
export interface Token {
  readonly value: string;
  readonly untilMs: number;
}

export interface KeptToken {
  /** The token that is kept, or a new one; waits no longer than the deadline leaves. Never rejects. */
  get(deadline: Deadline): Promise<string | NotSent>;
  /** The next one who asks gets a new one. Only if this is still the one that is kept: a late answer must not throw away its successor. */
  forget(value: string): void;
}

/** Keeps a token until its end, and asks for one at a time however many wait for it. A failure is kept for nobody but those who waited. */
export function keptToken(fetch: () => Promise<Token | NotSent>): KeptToken {
  let kept: Token | null = null;
  let coming: Promise<Token | NotSent> | null = null;

  async function fetched(): Promise<Token | NotSent> {
    const token = await fetch();
    coming = null;
    if ('value' in token) kept = token;
    return token;
  }

  return {
    async get(deadline) {
      if (kept !== null && kept.untilMs > Date.now()) return kept.value;
      coming ??= fetched();
      const token = await within(deadline, coming);
      return 'value' in token ? token.value : token;
    },
    forget(value) {
      if (kept?.value === value) kept = null;
    },
  };
}

function within(deadline: Deadline, coming: Promise<Token | NotSent>): Promise<Token | NotSent> {
  return new Promise((resolve) => {
    const late: NotSent = { kind: 'not-sent', reason: 'the send deadline passed while waiting for a token' };
    const stop = whenOver(deadline.startMs(), deadline.signal, () => resolve(late));
    void coming.then((token) => {
      stop();
      resolve(token);
    });
  });
}
