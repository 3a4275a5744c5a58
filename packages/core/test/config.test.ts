import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createNotifier, defineConfig, notification } from '../src/index.ts';
import { manualClock, memoryLedger, memoryProvider } from '../src/memory/index.ts';

const clock = manualClock();
const content = () => ({ text: 'hello' });
const Order = z.object({ id: z.string(), lines: z.number() });

/** What the compiler says is part of what is tested: `tsc` fails on an expectation that is not met. */
describe('a config', () => {
  const config = defineConfig({
    ledger: memoryLedger({ clock }),
    channels: { email: { providers: [memoryProvider({ clock })] } },
    notifications: {
      bySchema: notification({ class: 'legal', schema: Order, key: (order) => order.id, content }),
      byAnnotation: notification({ class: 'alert', key: (host: { readonly name: string }) => host.name, content }),
    },
  });

  test('types the data of each notification by its schema, or by the annotation of its functions', async () => {
    const notifier = createNotifier(config);
    const recipients = [{ channel: 'email' as const, to: 'a@example.org' }];
    await notifier.publish('bySchema', { id: 'o-1', lines: 2 }, { recipients });
    await notifier.publish('byAnnotation', { name: 'web-1' }, { recipients });
    // @ts-expect-error: `lines` is a number
    await expect(notifier.publish('bySchema', { id: 'o-1', lines: 'two' }, { recipients })).rejects.toThrow('lines');
    // @ts-expect-error: there is no such type
    await expect(notifier.publish('bySchem', {}, { recipients })).rejects.toThrow(
      "'bySchem' is not a notification type",
    );
    // @ts-expect-error: an alert about a host has a name
    await expect(notifier.publish('byAnnotation', {}, { recipients })).rejects.toThrow('needs a key');
  });

  test('does not let schema, functions and sample speak of different data', () => {
    const legal = { class: 'legal', schema: Order, content } as const;
    // @ts-expect-error: the schema knows no `number`
    expect(notification({ ...legal, key: ({ number }) => String(number) })).toBeDefined();
    const byNumber = { ...legal, key: (order: { readonly number: string }) => order.number };
    // @ts-expect-error: the schema knows no `number`
    expect(notification(byNumber)).toBeDefined();
    const samplesLess = { ...legal, sample: () => ({ id: 'o-1' }) };
    // @ts-expect-error: the sample lacks `lines`
    expect(notification(samplesLess)).toBeDefined();
  });
});
