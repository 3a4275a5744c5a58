import assert from 'node:assert/strict';
import type { Outcome } from '../model/outcome.ts';
import type { OutgoingMessage, Provider, SendContext } from '../ports/provider.ts';
import type { Law, LawSubject } from './contract.ts';

/** What the service behind the adapter does with the next request. */
export const SERVICE_ANSWERS = [
  'accepts',
  'accepts-and-says-nothing',
  'refuses',
  'throttles',
  'is-unreachable',
] as const;
export type ServiceAnswer = (typeof SERVICE_ANSWERS)[number];

/** A provider in front of a service (or an imitation of it) whose mailbox can be looked into. */
export interface ProviderSubject extends LawSubject {
  readonly provider: Provider;
  /** How many messages went out to this address. */
  delivered(to: string): Promise<number>;
  /** Programs the next request; `answers` lists those that this service can be made to give. */
  answerNext(answer: ServiceAnswer): void;
  readonly answers: readonly ServiceAnswer[];
}

export const providerLaws: readonly Law<ProviderSubject>[] = [
  {
    law: 'calls a message accepted only when it went out, and names the id that the service gave it',
    async check(subject) {
      const outcome = await send(subject, message('a'));
      assert.equal(outcome.kind, 'accepted');
      assert.notEqual(idOf(outcome), '');
      assert.equal(await subject.delivered(message('a').to), 1);
    },
  },
  {
    law: 'gives two messages two ids',
    async check(subject) {
      const outcomes = [await send(subject, message('a')), await send(subject, message('b'))];
      assert.notEqual(idOf(outcomes[0]), idOf(outcomes[1]));
    },
  },
  {
    law: 'sends once per call, whatever the service answers',
    async check(subject) {
      for (const [i, answer] of subject.answers.entries()) {
        const to = message(`each-${i}`);
        subject.answerNext(answer);
        await send(subject, to);
        assert.ok((await subject.delivered(to.to)) <= 1, `more than one message went out when the service ${answer}`);
      }
    },
  },
  {
    law: 'calls an outcome unknown when the service took the message and its reply was lost',
    needs: 'accepts-and-says-nothing',
    async check(subject) {
      assert.equal((await answered(subject, 'accepts-and-says-nothing')).kind, 'unknown');
      assert.equal(await subject.delivered(message('a').to), 1);
    },
  },
  {
    law: 'calls a refusal rejected, with its scope and its reason',
    needs: 'refuses',
    async check(subject) {
      const outcome = await answered(subject, 'refuses');
      assert.equal(outcome.kind, 'rejected');
      assert.ok(outcome.kind === 'rejected' && outcome.reason !== '');
      assert.equal(await subject.delivered(message('a').to), 0);
    },
  },
  {
    law: 'calls a throttled message deferred, not failed',
    needs: 'throttles',
    async check(subject) {
      assert.equal((await answered(subject, 'throttles')).kind, 'deferred');
      assert.equal(await subject.delivered(message('a').to), 0);
    },
  },
  {
    law: 'calls a message not sent when the service was never reached',
    needs: 'is-unreachable',
    async check(subject) {
      assert.equal((await answered(subject, 'is-unreachable')).kind, 'not-sent');
      assert.equal(await subject.delivered(message('a').to), 0);
    },
  },
  {
    law: 'sends nothing once the signal is aborted, and says so',
    async check(subject) {
      const aborter = new AbortController();
      aborter.abort();
      const outcome = await subject.provider.send(message('a'), { ...context('a'), signal: aborter.signal });
      assert.equal(outcome.kind, 'not-sent');
      assert.equal(await subject.delivered(message('a').to), 0);
    },
  },
  {
    law: 'makes one message of repeats with the same key, and answers the same id',
    needs: 'key',
    async check(subject) {
      const first = await send(subject, message('a'));
      const second = await send(subject, message('a'), { attempt: 2 });
      assert.equal(idOf(first), idOf(second));
      assert.equal(await subject.delivered(message('a').to), 1);
    },
  },
  {
    law: 'makes one message of a repeat after a lost reply with the same key',
    needs: ['key', 'accepts-and-says-nothing'],
    async check(subject) {
      await answered(subject, 'accepts-and-says-nothing');
      assert.equal((await send(subject, message('a'), { attempt: 2 })).kind, 'accepted');
      assert.equal(await subject.delivered(message('a').to), 1);
    },
  },
  {
    law: 'makes two messages of two keys',
    needs: 'key',
    async check(subject) {
      await send(subject, message('a'));
      await send(subject, message('a'), { key: 'k_other' });
      assert.equal(await subject.delivered(message('a').to), 2);
    },
  },
  {
    law: 'finds by lookup what went out, once the settle time has passed',
    needs: 'lookup',
    async check(subject) {
      const { lookup } = subject.provider.capabilities;
      assert.ok(lookup !== 'none');
      const sent = await send(subject, message('a'));
      await subject.elapse(lookup.settleMs + subject.unitMs);
      const { signal } = new AbortController();
      const request = { deliveryId: 'd_a', key: 'k_a', to: message('a').to, markedAt: 0 };
      const found = await lookup.find(request, { signal });
      assert.deepEqual(found, { kind: 'found', providerMessageId: idOf(sent) });
    },
  },
  {
    law: 'never finds by lookup what nobody sent',
    needs: 'lookup',
    async check(subject) {
      const { lookup } = subject.provider.capabilities;
      assert.ok(lookup !== 'none');
      await send(subject, message('a'));
      await subject.elapse(lookup.settleMs + subject.unitMs);
      const { signal } = new AbortController();
      const request = { deliveryId: 'd_none', key: 'k_none', to: message('none').to, markedAt: 0 };
      assert.notEqual((await lookup.find(request, { signal })).kind, 'found');
    },
  },
  {
    law: 'lets itself be closed twice',
    async check({ provider }) {
      await provider.close();
      await provider.close();
    },
  },
];

/** What the laws above need to know of a provider, as capabilities of its subject. */
export function providerCapabilities(provider: Provider, answers: readonly ServiceAnswer[]): Record<string, boolean> {
  const { idempotency, lookup } = provider.capabilities;
  return {
    key: idempotency.kind === 'key',
    lookup: lookup !== 'none',
    ...Object.fromEntries(answers.map((answer) => [answer, true])),
  };
}

function message(name: string): OutgoingMessage {
  return {
    deliveryId: `d_${name}`,
    channel: 'email',
    to: `${name}@example.com`,
    content: { subject: 'A law', text: `For ${name}.` },
    createdAt: 1_700_000_000_000,
  };
}

function context(name: string): SendContext {
  return { key: `k_${name}`, attempt: 1, deadlineMs: 60_000, signal: new AbortController().signal };
}

async function send(subject: ProviderSubject, to: OutgoingMessage, patch: Partial<SendContext> = {}): Promise<Outcome> {
  return subject.provider.send(to, { ...context(to.deliveryId.slice(2)), ...patch });
}

async function answered(subject: ProviderSubject, answer: ServiceAnswer): Promise<Outcome> {
  subject.answerNext(answer);
  return send(subject, message('a'));
}

function idOf(outcome: Outcome | undefined): string {
  assert.equal(outcome?.kind, 'accepted');
  return outcome?.kind === 'accepted' ? outcome.providerMessageId : '';
}
