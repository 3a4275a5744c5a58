import { runLaw } from '@sendonce/core/conformance';
import { describe, test } from 'vitest';
import { inboxLaws, type InboxSubject } from '../../src/internal/inbox/laws.ts';
import type { Inbox } from '../../src/inboxes/memory.ts';

/** Times of the stores are real, and a law about age waits for four of these. */
const UNIT_MS = 40;

/** Another process is never told of what this one writes: it looks this often. */
export const POLL_MS = 20;

export interface Place {
  readonly inbox: Inbox;
  readonly other?: Inbox;
  elapse?(ms: number): Promise<void>;
  close?(): Promise<void>;
}

export function testInboxLaws(name: string, make: () => Promise<Place>): void {
  describe(name, () => {
    test.for(inboxLaws.map((law) => [law.law, law] as const))('%s', async ([, law]) => {
      const result = await runLaw(law, () => subjectOf(make));
      if (result.kind === 'broken') throw result.error;
    });
  });
}

async function subjectOf(make: () => Promise<Place>): Promise<InboxSubject> {
  const { inbox, other = inbox, close, elapse = passed } = await make();
  return {
    inbox,
    other,
    capabilities: {},
    unitMs: UNIT_MS,
    elapse,
    async close() {
      await inbox.close();
      await other.close();
      await close?.();
    },
  };
}

/** A store's own clock cannot be moved. */
function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
