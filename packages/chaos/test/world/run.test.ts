import { createHash } from 'node:crypto';
import { isSendonceError, type NotifierConfig } from '@sendonce/core';
import { describe, expect, test } from 'vitest';
import { RunAborted, runOnce } from '../../src/run.ts';
import { lines, messages, simulate, SMALL } from './simulate.ts';

describe('a run without faults', () => {
  test.each([
    { queue: true, provider: 'keyed' },
    { queue: true, provider: 'lookup' },
    { queue: true, provider: 'plain' },
    { queue: false, provider: 'keyed' },
    { queue: false, provider: 'plain' },
  ] as const)('sends everybody one message ($provider, queue: $queue)', async (setup) => {
    const run = await simulate([], { recipients: 60, ...setup });
    expect(run.end).toBe('done');
    expect(Object.values(messages(run))).toEqual(Array.from({ length: 60 }, () => 1));
    expect(run.counts.deliveries.sent).toBe(60);
    expect(run.crashes).toEqual([]);
  });

  test.each(['security', 'document', 'transactional', 'legal', 'alert', 'marketing'])(
    'sends class %s',
    async (deliveryClass) => {
      const run = await simulate([], { class: deliveryClass });
      expect([run.end, messages(run)]).toEqual(['done', { r0: 1, r1: 1, r2: 1 }]);
    },
  );

  test('heals at its start, and has had a whole path all the time', async () => {
    const { facts } = await simulate();
    expect(facts.liveness.healedAt).toBeLessThan(100);
    expect(facts.liveness.healthy).toHaveLength(1);
  });

  test('leaves nothing held, nothing queued and nothing dead', async () => {
    const { facts } = await simulate();
    expect(facts.liveness.leases).toEqual([]);
    expect(facts.liveness.queue).toEqual({ depth: 0, orphans: [] });
    expect([facts.deadLetters.size, facts.unsealed, facts.failedNotifications]).toEqual([0, [], []]);
  });
});

describe('the same run', () => {
  const kill = { do: 'kill', op: 'provider.send', entity: 'r1', nth: 1, phase: 'A' } as const;

  test('has the same history, event by event', async () => {
    const first = await simulate([kill], { recipients: 30 });
    const second = await simulate([kill], { recipients: 30 });
    expect(lines(second)).toEqual(lines(first));
  });

  test('has the same history whoever watches', async () => {
    const [watched, other] = [await simulate([kill]), await simulate([kill], {}, { listSites: true })];
    const unwatched = await simulate([kill], {}, { observe: () => [] });
    expect([other.events, unwatched.events]).toEqual([watched.events, watched.events]);
  });

  test('differs with the seed', async () => {
    const hash = async (seed: string): Promise<string> =>
      createHash('sha256')
        .update(lines(await simulate([], {}, { seed })).join('\n'))
        .digest('hex');
    expect(await hash('b seed')).not.toBe(await hash('a seed'));
  });
});

describe('recipients', () => {
  test('keep their numbers, addresses and fates when others are taken out', async () => {
    const all = await simulate([], { recipients: 8 });
    const few = await simulate([], { recipients: [2, 5] });
    expect(messages(few)).toEqual({ r2: 1, r5: 1 });
    expect([few.addressOf(2), few.addressOf(5)]).toEqual([all.addressOf(2), all.addressOf(5)]);
  });

  test('from a list get one message each, those that are listed twice too', async () => {
    const targets = ['ann@example.com', 'Ben+x@example.com'].map((to) => ({ channel: 'email', to }) as const);
    const doubles = [{ channel: 'email', to: 'ANN@example.com' }] as const;
    const run = await simulate([], { recipients: 2 }, { workload: { kind: 'recipients', targets, doubles } });
    expect(messages(run)).toEqual({ r0: 1, r1: 1 });
    expect(run.facts.input).toEqual({ rows: 3, merged: 1, invalid: 0 });
    expect(run.addressOf(1)).toBe('Ben+x@example.com');
  });

  test('are named in the mailbox by their deliveries, also those that were sent again on purpose', async () => {
    const reject = { do: 'reject', op: 'provider.send', entity: 'r1', nth: 1, phase: 'E' } as const;
    const replay = { do: 'replay', op: 'ledger.settle', entity: 'r1', nth: 1, phase: 'A' } as const;
    const run = await simulate([reject, replay]);
    const named = [...run.facts.mailbox].map(({ deliveryId }) => deliveryId).sort();
    const sent = run.history.flatMap((event) =>
      event.kind === 'provider' && event.outcome === 'accepted' ? [event.deliveryId] : [],
    );
    expect(named).toEqual(sent.sort());
    const generations = [...run.facts.deliveries]
      .map(({ recipient, generation }) => `r${recipient} ${generation}`)
      .sort();
    expect(generations).toEqual(['r0 0', 'r1 0', 'r1 1', 'r2 0']);
  });

  test('of the user’s own types are learned, and numbered by notification', async () => {
    const run = await simulate([], {}, { workload: { kind: 'config', config: shop(), samples: 2, targets: null } });
    expect(run.end).toBe('done');
    // Three recipients of the newsletter, then two for each of two orders.
    expect(messages(run)).toEqual({ r0: 1, r1: 1, r2: 1, r100: 1, r101: 1, r200: 1, r201: 1 });
    expect([...run.facts.mailbox].map(({ provider }) => provider)).toContain('mailer');
  });

  test('count a message to somebody else’s address as theirs, and one to nobody as a phantom', async () => {
    const misdirect = (config: NotifierConfig): NotifierConfig => {
      const [provider] = config.channels.email?.providers ?? [];
      if (provider === undefined) throw new Error('no provider');
      const wrong = new Map([['r0', 'stranger@example.org']]);
      const send: typeof provider.send = (message, context) => {
        const to = message.content['number'] === 0 ? wrong.get('r0')! : message.to;
        return provider.send({ ...message, to }, context);
      };
      return { ...config, channels: { email: { providers: [{ ...provider, send }] } } };
    };
    const { createNotifier } = await import('@sendonce/core');
    const numbered = (config: NotifierConfig): NotifierConfig => ({
      ...config,
      notifications: {
        announcement: {
          class: 'legal',
          content: (_: unknown, target: { data: Record<string, unknown> }) => ({ number: target.data['number'] }),
        },
      } as unknown as NotifierConfig['notifications'],
    });
    const run = await simulate(
      [],
      {},
      { sender: (config, options) => createNotifier(misdirect(numbered(config))).worker(options) },
    );
    expect(messages(run)).toEqual({ r0: 0, r1: 1, r2: 1, 'r-1': 1 });
  });
});

describe('a run that is ended from outside', () => {
  test('throws, and says how many messages were accepted by then', async () => {
    const seen: number[] = [];
    const isAborted = (accepted: number): boolean => seen.push(accepted) === 3;
    await expect(simulate([], { recipients: 5_000, concurrency: 50 }, { isAborted })).rejects.toBeInstanceOf(
      RunAborted,
    );
    expect(seen).toHaveLength(3);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });
});

describe('the user’s code', () => {
  const withContent = (content: () => unknown): NotifierConfig =>
    ({ ...shop(), notifications: { news: { class: 'legal', content } } }) as unknown as NotifierConfig;

  test('may not look at the clock, and the run says which call it was', async () => {
    const config = withContent(() => ({ subject: `news of ${Date.now()}` }));
    const error: unknown = await runOnce({
      setup: SMALL,
      seed: 's',
      faults: [],
      workload: { kind: 'config', config, samples: 0, targets: null },
    }).catch((thrown: unknown) => thrown);
    expect(isSendonceError(error, 'DETERMINISM_VIOLATION')).toBe(true);
    expect(String(error)).toContain('Date.now');
    expect(Date.now()).toBeGreaterThan(0);
  });

  test('that throws ends in dead letters, not in a crash of the run', async () => {
    const config = withContent(() => {
      throw new Error('template is broken');
    });
    const run = await simulate([], {}, { workload: { kind: 'config', config, samples: 0, targets: null } });
    expect([run.end, run.facts.deadLetters.size, run.crashes]).toEqual(['done', 3, []]);
  });

  test('whose sample does not fit its own schema stops the run with that error', async () => {
    const schema = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no id' }] }) },
    };
    const config = {
      ...shop(),
      notifications: { news: { class: 'legal', schema, content: () => ({}), key: () => 'k' } },
    } as unknown as NotifierConfig;
    const run = runOnce({
      setup: SMALL,
      seed: 's',
      faults: [],
      workload: { kind: 'config', config, samples: 0, targets: null },
    });
    await expect(run).rejects.toThrow(expect.objectContaining({ code: 'DATA_INVALID' }));
  });
});

describe('a setup', () => {
  test('with an unknown class is refused', async () => {
    await expect(simulate([], { class: 'urgent' })).rejects.toThrow(/class must be one of security, /);
  });
});

describe('after the heal point', () => {
  test('one worker alone finishes the work when all others broke for ever', async () => {
    const slow = { do: 'slow', op: 'provider.send', entity: 'r0', nth: 1, phase: 'D', ms: 500 } as const;
    const run = await simulate([slow], { recipients: 40, workers: 4, knobs: { survivors: 1 } });
    expect([run.end, run.facts.liveness.phase]).toEqual(['done', 'core']);
    expect(new Set(Object.values(messages(run)))).toEqual(new Set([1]));
    const killed = run.history.filter((event) => event.kind === 'process' && event.why === 'broken for ever');
    expect(killed).toHaveLength(3);
  });
});

describe('what a fault has in store', () => {
  const bounce = { do: 'bounce', op: 'provider.send', entity: 'r0', nth: 1, phase: 'A', ms: 3_600_000 } as const;
  const ghost = { do: 'ghost', op: 'queue.ack', entity: 'r0', nth: 1, phase: 'A', ms: 10_000 } as const;
  const again = { do: 'redeliver', op: 'queue.receive', entity: 'r0', nth: 1, phase: 'A', ms: 10_000 } as const;

  test.each([1, 3])(
    'happens, though everything has long been settled: a bounce (%i recipients)',
    async (recipients) => {
      const run = await simulate([bounce], { recipients });
      expect([run.end, run.counts.deliveries.bounced]).toEqual(['done', 1]);
    },
  );

  test.each([ghost, again])('happens, though everything has long been settled: $do', async (fault) => {
    const run = await simulate([fault], { recipients: 1 });
    const struck = run.history.find((event) => event.kind === 'fault' && event.what === 'fired')?.at ?? Infinity;
    const received = run.history
      .filter((event) => event.kind === 'queue' && event.op === 'receive')
      .map(({ at }) => at);
    expect(run.end).toBe('done');
    expect(received.filter((at) => at >= struck + fault.ms)).not.toEqual([]);
  });
});

describe('the one worker that stays alive', () => {
  test.each(['w1', 'w2', 'w3'])('is none that is gone already (%s)', async (entity) => {
    const gone = { do: 'gone', op: 'ledger.claimNotifications', entity, nth: 1, phase: 'B' } as const;
    const run = await simulate([gone], { workers: 3, knobs: { survivors: 1 } });
    expect([run.end, messages(run)]).toEqual(['done', { r0: 1, r1: 1, r2: 1 }]);
  });

  test('is not one of two when the others are gone', async () => {
    const gone = ['w1', 'w2'].map((entity) => ({ do: 'gone', op: 'ledger.add', entity, nth: 1, phase: 'B' }) as const);
    for (const seed of ['a', 'b', 'c', 'd', 'e']) {
      const run = await simulate(gone, { workers: 3, knobs: { survivors: 1, page: 1 } }, { seed });
      expect([run.end, messages(run)]).toEqual(['done', { r0: 1, r1: 1, r2: 1 }]);
    }
  });
});

describe('a list of sites', () => {
  test('has every call of the run by process, recipient and provider', async () => {
    const { sites } = await simulate([], { recipients: 2, workers: 1 }, { listSites: true });
    const at = (op: string, entity: string): number | undefined =>
      sites?.find((site) => site.op === op && site.entity === entity)?.count;
    expect([
      at('provider.send', 'r0'),
      at('provider.send', 'p0'),
      at('ledger.mark', 'r1'),
      at('ledger.seal', 'producer'),
    ]).toEqual([1, 2, 1, undefined]);
    expect(at('queue.receive', 'r1')).toBe(1);
    expect(at('ledger.accept', 'r1')).toBe(1);
  });
});

/** A shop with a routed and a plain type, and a provider of its own name. */
function shop(): NotifierConfig {
  const provider = {
    name: 'mailer',
    capabilities: { idempotency: { kind: 'none' }, lookup: 'none', correlation: 'none', coalesce: false },
    send: () => Promise.reject(new Error('the user’s adapters are never called')),
    close: () => Promise.resolve(),
  };
  const contacts = (id: number) =>
    ['buyer', 'seller'].map((who) => ({ channel: 'email', to: `${who}${id}@example.com` }));
  return {
    ledger: {},
    channels: { email: { providers: [provider] } },
    notifications: {
      order: {
        class: 'document',
        sample: (i: number) => ({ id: i }),
        key: (order: { id: number }) => `order-${order.id}`,
        route: (order: { id: number }) => contacts(order.id),
        content: (order: { id: number }) => ({ subject: `Order ${order.id}` }),
      },
      newsletter: { class: 'marketing', expiresInMs: 86_400_000, content: () => ({ subject: 'News' }) },
    },
  } as unknown as NotifierConfig;
}
