import type { OutgoingMessage } from '@sendonce/core';
import {
  providerCapabilities,
  providerLaws,
  type ProviderSubject,
  type ServiceAnswer,
} from '@sendonce/core/conformance';
import { afterEach, beforeEach, vi } from 'vitest';
import { testLaws } from '../../../core/test/conformance/support/laws.ts';
import type { Fault } from '../../src/fakes/support/faults.ts';
import { CASES, inMailbox, messageTo, type FakeCase } from './cases.ts';

const ANSWERS: readonly ServiceAnswer[] = [
  'accepts',
  'accepts-and-says-nothing',
  'refuses',
  'throttles',
  'is-unreachable',
];

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

for (const given of CASES)
  testLaws(`the adapter ${given.name}, before its vendor's fake`, providerLaws, () => subjectOf(given));

/** The laws write mails to people; here everybody has an address of this vendor's, and gets what it can carry. */
async function subjectOf(given: FakeCase): Promise<ProviderSubject> {
  const { fake, provider, nowhere, addressOf, close } = await given.start();
  const [refusal = ''] = Object.entries(fake.refusals).find(([, { means }]) => means === 'permanent-message') ?? [];
  const code = refusal === '' ? Object.keys(fake.refusals)[0]! : refusal;
  const faults: Readonly<Record<ServiceAnswer, Fault | null>> = {
    accepts: null,
    'accepts-and-says-nothing': { kind: 'drop-after-accept' },
    refuses: { kind: 'refuse', code },
    throttles: { kind: 'throttle' },
    'is-unreachable': null,
  };
  const translated = (message: OutgoingMessage): OutgoingMessage =>
    messageTo(given, addressOf(nameOf(message.to)), { deliveryId: message.deliveryId });
  const { lookup } = provider.capabilities;
  // Nobody listens where web push and webhooks would be told to: their addresses are those of the targets.
  const isByTarget = given.name === 'web-push' || given.name === 'webhook';
  const answers = isByTarget ? ANSWERS.filter((each) => each !== 'is-unreachable') : ANSWERS;
  let isUnreachable = false;
  return {
    provider: {
      ...provider,
      capabilities: {
        ...provider.capabilities,
        lookup:
          lookup === 'none'
            ? lookup
            : {
                ...lookup,
                find: (asked, context) => lookup.find({ ...asked, to: addressOf(nameOf(asked.to)) }, context),
              },
      },
      async send(message, context) {
        const to = isUnreachable ? nowhere : provider;
        isUnreachable = false;
        return to.send(translated(message), context);
      },
    },
    answers,
    answerNext(answer) {
      isUnreachable = answer === 'is-unreachable';
      const fault = faults[answer];
      if (fault !== null) fake.next(fault);
    },
    delivered: async (to) => fake.mailbox.filter((each) => each.to === inMailbox(given, addressOf(nameOf(to)))).length,
    capabilities: providerCapabilities(provider, answers),
    unitMs: 1,
    elapse: async (ms) => void vi.setSystemTime(Date.now() + ms),
    close,
  };
}

function nameOf(address: string): string {
  return address.slice(0, address.indexOf('@'));
}
