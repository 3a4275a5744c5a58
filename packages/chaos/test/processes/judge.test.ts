import { createNotifier, type TargetInput } from '@sendonce/core';
import { memoryLedger, memoryProvider } from '@sendonce/core/memory';
import { systemClock } from '@sendonce/core/system';
import { beforeAll, describe, expect, test } from 'vitest';
import { policyFacts } from '../../src/checkers/context.ts';
import { hashText } from '../../src/kernel/draw.ts';
import { audienceOf, type Audience } from '../../src/processes/audience.ts';
import { judge, type Remains } from '../../src/processes/judge.ts';
import type { MailboxLine } from '../../src/processes/mailbox-file.ts';
import { makeWorkload } from '../../src/workload/make-workload.ts';
import { bodyOf } from '../../src/world/body.ts';
import { knobsOf } from '../../src/world/knobs.ts';
import type { SimulationSetup } from '../../src/plan.ts';
import { setupOf } from '../support/setup.ts';

const PEOPLE = 5;
const setup: SimulationSetup = setupOf({ recipients: PEOPLE, workers: 1, queue: false });
const strict = policyFacts({ onUnknown: 'park' });

let audience: Audience;
let remains: Remains;

/** A run in which nothing went wrong, by the real core in this process. */
beforeAll(async () => {
  const workload = makeWorkload(null, setup, hashText('judge'), knobsOf({}));
  audience = audienceOf(workload);
  const ledger = memoryLedger({ clock: systemClock });
  const provider = memoryProvider({ clock: systemClock, name: 'p0' });
  const notifier = createNotifier({
    ledger,
    channels: { email: { providers: [provider] } },
    notifications: workload.notifications,
    worker: { pollMs: 5, sweepMs: 10 },
  });
  const { type, key, data, recipients } = workload.publication(0);
  const list = [...(recipients?.() ?? [])] as TargetInput[];
  await notifier.publish(type as never, data as never, { key, recipients: list });
  const stop = new AbortController();
  const working = notifier.worker().run({ signal: stop.signal });
  while ((await ledger.count()).deliveries.sent < PEOPLE) await systemClock.sleep(5);
  stop.abort();
  await working;
  const { items: deliveries } = await ledger.list({}, { limit: 100 });
  const { items: notifications } = await ledger.listNotifications({}, { limit: 100 });
  const stories = new Map<string, Awaited<ReturnType<typeof ledger.history>>>();
  for (const { id } of deliveries) stories.set(id, await ledger.history(id));
  const mailbox = provider.mailbox.map(
    ({ at, deliveryId, to, key: providerKey, attempt, content }, index): MailboxLine => ({
      n: index + 1,
      at,
      provider: 'p0',
      channel: 'email',
      id: 'p0-m1',
      deliveryId,
      to,
      key: providerKey,
      attempt,
      body: bodyOf(content),
      worker: 'w1',
    }),
  );
  remains = { mailbox, deliveries, notifications, stories, endedAt: systemClock.now() };
});

type Edit = (lines: readonly MailboxLine[]) => readonly MailboxLine[];
const [FIRST, REST] = [
  (lines: readonly MailboxLine[]) => lines[0] as MailboxLine,
  (lines: readonly MailboxLine[]) => lines.slice(1),
];

describe('the judge of real runs', () => {
  test('finds nothing wrong with a mailbox that nobody touched', () => {
    const { tally, requested, violations } = judge(remains, audience, strict);
    expect({ tally, requested, violations }).toMatchObject({
      tally: { once: PEOPLE },
      requested: PEOPLE,
      violations: [],
    });
  });

  // Each row is a mailbox edited by hand: the ledger believes what it believed before.
  const edited: readonly (readonly [what: string, invariant: string, end: string, edit: Edit])[] = [
    ['a message that is there twice', 'S1', 'duplicated', (lines) => [...lines, FIRST(lines)]],
    ['a message that is missing', 'END', 'lost', REST],
    [
      'a message to a stranger',
      'S7',
      'phantom',
      (lines) => [...lines, { ...FIRST(lines), to: 'stranger@else.example' }],
    ],
    [
      'a message of a delivery that nobody made',
      'S7',
      'duplicated',
      (lines) => [...lines, { ...FIRST(lines), deliveryId: 'd_other' }],
    ],
    ['another content', 'S7', 'once', (lines) => [{ ...FIRST(lines), body: 'other' }, ...REST(lines)]],
    ['an attempt that nobody marked', 'S2', 'once', (lines) => [{ ...FIRST(lines), attempt: 2 }, ...REST(lines)]],
    ['a message before its mark', 'S2', 'once', (lines) => [{ ...FIRST(lines), at: 0 }, ...REST(lines)]],
    ['a message of another provider', 'S2', 'once', (lines) => [{ ...FIRST(lines), provider: 'p1' }, ...REST(lines)]],
  ];
  test.each(edited)('sees %s', (_what, invariant, end, edit) => {
    const { violations, tally } = judge({ ...remains, mailbox: edit(remains.mailbox) }, audience, strict);
    expect(violations.map((violation) => violation.invariant)).toContain(invariant);
    expect(tally[end as keyof typeof tally]).toBeGreaterThan(0);
  });

  const forgotten: readonly (readonly [what: string, edit: Edit])[] = [
    ['an attempt that nobody marked', (lines) => [{ ...FIRST(lines), attempt: 2 }, ...REST(lines)]],
    [
      'a message of a delivery that nobody made',
      (lines) => [{ ...FIRST(lines), deliveryId: 'd_other' }, ...REST(lines)],
    ],
  ];
  test.each(forgotten)(
    'blames nobody for %s while the ledger may have forgotten it, and somebody after that',
    (_what, edit) => {
      const mailbox = edit(remains.mailbox);
      const at = FIRST(mailbox).at;
      const judged = (until: number | null) => judge({ ...remains, mailbox }, audience, strict, until).violations;
      expect([judged(at), judged(at - 1).length, judged(null).length]).toEqual([[], 1, 1]);
    },
  );

  test('counts whoever got a message as recovered though the ledger forgot who it was, and not whoever got none', () => {
    const [first, second, ...deliveries] = remains.deliveries;
    const mailbox = remains.mailbox.filter(({ deliveryId }) => deliveryId !== second?.id);
    const { tally, violations } = judge({ ...remains, mailbox, deliveries }, audience, strict, remains.endedAt);
    expect(first).toBeDefined();
    expect(tally).toMatchObject({ recovered: 1, lost: 1, once: PEOPLE - 2 });
    expect(violations.map(({ invariant }) => invariant)).toEqual(['END']);
  });

  test('calls what is not settled unfinished, and lost where nothing arrived', () => {
    const [first, ...rest] = remains.deliveries;
    const open = { ...(first as NonNullable<typeof first>), state: 'dispatching' as const };
    const mailbox = remains.mailbox.filter(({ deliveryId }) => deliveryId !== open.id);
    const { violations, tally } = judge({ ...remains, mailbox, deliveries: [open, ...rest] }, audience, strict);
    expect(violations).toMatchObject([{ invariant: 'L2', kind: 'liveness', deliveryId: open.id }]);
    expect(tally).toMatchObject({ lost: 1, once: PEOPLE - 1 });
  });

  test('takes a repeat that was declared before its mark for a resend, where the class allows one', () => {
    const [first, ...rest] = remains.deliveries;
    const record = first as NonNullable<typeof first>;
    const [attempt] = record.attempts;
    const again = { ...(attempt as NonNullable<typeof attempt>), n: 2 };
    const declared = {
      ...record,
      attempts: [...record.attempts, again],
      declarations: [{ kind: 'resend' as const, afterAttempt: 1, provider: 'p0', at: again.markedAt }],
    };
    const line = remains.mailbox.find(({ deliveryId }) => deliveryId === record.id) as MailboxLine;
    const twice = {
      ...remains,
      mailbox: [...remains.mailbox, { ...line, attempt: 2 }],
      deliveries: [declared, ...rest],
    };
    expect(judge(twice, audience, policyFacts({ onUnknown: 'resend' })).tally).toMatchObject({
      resent: 1,
      duplicated: 0,
    });
    expect(judge(twice, audience, strict).tally).toMatchObject({ resent: 0, duplicated: 1 });
  });

  test('counts somebody whose outcome was unknown for a while as recovered', () => {
    const [first] = remains.deliveries;
    const story = remains.stories.get(first?.id ?? '') ?? [];
    const [move] = story;
    const doubted = [...story, { ...(move as NonNullable<typeof move>), to: 'unknown' as const }];
    const stories = new Map([...remains.stories, [first?.id ?? '', doubted]]);
    expect(judge({ ...remains, stories }, audience, strict).tally).toMatchObject({ once: PEOPLE - 1, recovered: 1 });
  });
});
