import { describe, expect, test } from 'vitest';
import { createNotifier, defineConfig, notification, type AddressRule, type DeliveryRecord } from '../../src/index.ts';
import { manualClock, memoryDestinations, memoryLedger, memoryProvider, seededRandom } from '../../src/memory/index.ts';
import type { TargetInput } from '../../src/index.ts';

/** Numbers of one country; `home` is what its trunk zero stands for. */
const numbersOf =
  (home: string): AddressRule =>
  (to) => {
    const digits = to.replace(/[^\d+]/g, '').replace(/^0/, home);
    return digits.length < 10 ? { kind: 'unusable', problem: 'too short' } : { kind: 'usable', to: digits };
  };
const GERMAN = numbersOf('+49');

function worldOf(rule: AddressRule | undefined, recipients: readonly TargetInput[]) {
  const clock = manualClock(1_000_000);
  const ledger = memoryLedger({ clock });
  const provider = memoryProvider({ name: 'p0', model: 'keyed', clock });
  const destinations = memoryDestinations({ clock });
  const configOf = (addresses: AddressRule | undefined) =>
    defineConfig({
      ledger,
      destinations,
      channels: { sms: { providers: [provider], ...(addresses !== undefined && { addresses }) } },
      notifications: {
        routed: notification<unknown>({
          class: 'transactional',
          route: () => recipients,
          content: () => ({ text: 'x' }),
        }),
        given: notification<unknown>({ class: 'transactional', content: () => ({ text: 'x' }) }),
      },
      clock,
      random: seededRandom(1),
    });
  const notifier = createNotifier(configOf(rule));
  /** Lets a worker with this rule do all there is to do; answers the deliveries. */
  async function work(addresses = rule): Promise<readonly DeliveryRecord[]> {
    const stop = new AbortController();
    const running = createNotifier(configOf(addresses)).worker().run({ signal: stop.signal });
    for (let i = 0; i < 400 && (await notifier.status()).notifications.done === 0; i += 1) await clock.advance(100);
    stop.abort();
    await clock.advance(20_000);
    await running;
    return (await ledger.list({})).items;
  }
  return { notifier, provider, destinations, work };
}

const sms = (to: string): TargetInput => ({ channel: 'sms', to });

describe('an address with a rule', () => {
  test.each(['routed', 'given'] as const)(
    'is one recipient however it is written, sent to in one form: %s',
    async (type) => {
      const both = [sms('0171 1234567'), sms('+49 171 1234567'), sms('+491711234567')];
      const { notifier, provider, work } = worldOf(GERMAN, both);
      await notifier.publish(type, {}, { key: 'k', ...(type === 'given' && { recipients: both }) });
      const deliveries = await work();
      expect(deliveries.map(({ target: { recipientId, to }, state }) => [recipientId, to, state])).toEqual([
        ['+491711234567', '+491711234567', 'sent'],
      ]);
      expect(provider.mailbox.map(({ to }) => to)).toEqual(['+491711234567']);
    },
  );

  test.each<[what: string, rule: AddressRule, reason: RegExp]>([
    ['refuses it', GERMAN, /^invalid target: too short$/],
    [
      'throws',
      (to) => {
        throw new Error(`what is ${to}?`);
      },
      /could not read it$/,
    ],
    ['answers nothing', () => undefined as never, /could not read it$/],
    ['answers half', () => ({ kind: 'usable' }) as never, /could not read it$/],
    ['makes no number of it', () => ({ kind: 'usable', to: 'ann@example.org' }), /not a phone number in E\.164/],
  ])(
    'is born failed where the rule %s: alone, told without the address, and not replayed',
    async (_what, rule, reason) => {
      const guarded: AddressRule = (to) => (to === '+491711234567' ? { kind: 'usable', to } : rule(to));
      const { notifier, provider, work } = worldOf(guarded, [sms('0171'), sms('+491711234567')]);
      await notifier.publish('routed', {}, { key: 'k' });
      const [failed, ...others] = [...(await work())].sort((a, b) => a.state.localeCompare(b.state));
      expect(failed).toMatchObject({ state: 'failed', reason: expect.stringMatching(reason) as string });
      expect(failed?.reason).not.toMatch(/0171|ann@/);
      expect(others.map(({ state }) => state)).toEqual(['sent']);
      expect(provider.mailbox).toHaveLength(1);
      const [verdict] = await notifier.replay([failed!.id], { by: 'ann', why: 'try' });
      expect(verdict).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/can never work/) as string });
    },
  );

  test('is who it was sealed as, whatever rule the worker has: another one makes no second recipient', async () => {
    const both = [sms('0171 1234567'), sms('+49 171 1234567')];
    const { notifier, provider, work } = worldOf(GERMAN, []);
    await notifier.publish('given', {}, { key: 'k', recipients: both });
    const deliveries = await work(numbersOf('+43'));
    expect(deliveries.map(({ target }) => target.recipientId)).toEqual(['+491711234567']);
    expect(provider.mailbox).toHaveLength(1);
  });

  test('is checked where its producer had no rule: it stays who it was, and is sent to in its form', async () => {
    const { notifier, provider, work } = worldOf(undefined, []);
    await notifier.publish('given', {}, { key: 'k', recipients: [sms('0171 1234567')] });
    expect((await work(GERMAN)).map(({ target }) => target.recipientId)).toEqual(['01711234567']);
    expect(provider.mailbox.map(({ to }) => to)).toEqual(['+491711234567']);
  });

  test.each([
    ['with the rule', GERMAN],
    ['without', undefined],
  ])('is not sent to where its form is suppressed, by a producer %s', async (_what, rule) => {
    const { notifier, provider, destinations, work } = worldOf(rule, []);
    const address = { tenant: 'default', channel: 'sms', to: '+491711234567' } as const;
    await destinations.suppress([{ ...address, suppressed: true, reason: 'stop', by: 'ann' }]);
    await notifier.publish('given', {}, { key: 'k', recipients: [sms('0171 1234567')] });
    const reason = expect.stringMatching(/suppressed/) as string;
    expect(await work(GERMAN)).toMatchObject([{ state: 'failed', reason }]);
    expect(provider.mailbox).toEqual([]);
  });

  test('is read where the recipient is known by an id and registered as somebody typed it', async () => {
    const { notifier, provider, destinations, work } = worldOf(GERMAN, [{ channel: 'sms', id: 'ann' }]);
    await destinations.register([
      { tenant: 'default', channel: 'sms', recipientId: 'ann', id: 'a', to: '0049 171 1234567' },
    ]);
    await notifier.publish('routed', {}, { key: 'k' });
    await work((to) => GERMAN(to.replace(/^00/, '+')));
    expect(provider.mailbox.map(({ to }) => to)).toEqual(['+491711234567']);
  });
});
