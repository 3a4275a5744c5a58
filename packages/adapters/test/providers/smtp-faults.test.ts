import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Outcome, Provider, SendContext } from '@sendonce/core';
import { smtp, type SmtpOptions } from '../../src/providers/smtp.ts';
import { fakeSmtp, type FakeSmtp, type SmtpAct, type SmtpStep } from './support/fake-smtp.ts';
import { contextOf, outgoing } from './support/sending.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

function providerAt(port: number, options: Partial<SmtpOptions> = {}): Provider {
  const provider = smtp({ host: '127.0.0.1', port, from: 'Orders <orders@example.com>', ...options });
  closing.unshift(() => provider.close());
  return provider;
}

type Script = Partial<Record<SmtpStep, SmtpAct>>;

async function server(script: Script, extensions?: readonly string[]): Promise<FakeSmtp> {
  const fake = await fakeSmtp({ script: (step) => script[step], ...(extensions === undefined ? {} : { extensions }) });
  closing.push(() => fake.close());
  return fake;
}

const notSent = { kind: 'not-sent' };
const deferred = { kind: 'deferred' };
const unknown = { kind: 'unknown' };
const rejected = (scope: string, code: string) => ({ kind: 'rejected', scope, code });
const HANGS: Partial<SendContext> = { deadlineMs: 300 };

// What the server does; what is said of it; how many complete messages it has read.
const FAULTS: readonly (readonly [what: string, script: Script, outcome: object, complete: number])[] = [
  ['closes before its greeting', { connect: 'close' }, notSent, 0],
  ['resets before its greeting', { connect: 'reset' }, notSent, 0],
  ['says nothing for a greeting', { connect: 'hang' }, notSent, 0],
  ['greets with 421', { connect: { reply: '421 4.3.2 too many connections', then: 'close' } }, deferred, 0],
  ['greets with 554', { connect: { reply: '554 5.3.2 no service', then: 'close' } }, rejected('provider', '5.3.2'), 0],
  ['greets with what is no SMTP', { connect: 'SSH-2.0-nonsense' }, notSent, 0],
  ['closes at EHLO', { EHLO: 'close' }, notSent, 0],
  ['hangs at EHLO', { EHLO: 'hang' }, notSent, 0],
  ['answers EHLO with 421', { EHLO: { reply: '421 4.3.0 going down', then: 'close' } }, deferred, 0],
  ['closes at MAIL', { MAIL: 'close' }, notSent, 0],
  ['resets at MAIL', { MAIL: 'reset' }, notSent, 0],
  ['hangs at MAIL', { MAIL: 'hang' }, notSent, 0],
  ['answers MAIL with 421', { MAIL: { reply: '421 4.4.2 idle too long', then: 'close' } }, deferred, 0],
  ['answers MAIL with 451', { MAIL: '451 4.3.0 try later' }, deferred, 0],
  ['answers MAIL with 530', { MAIL: '530 5.7.0 log in first' }, rejected('provider', '5.7.0'), 0],
  ['answers MAIL with 550', { MAIL: '550 5.1.8 bad sender' }, rejected('provider', '5.1.8'), 0],
  ['answers MAIL with 552', { MAIL: '552 5.3.4 too big' }, rejected('message', '5.3.4'), 0],
  ['closes at RCPT', { RCPT: 'close' }, notSent, 0],
  ['hangs at RCPT', { RCPT: 'hang' }, notSent, 0],
  ['answers RCPT with 450', { RCPT: '450 4.2.0 greylisted' }, deferred, 0],
  ['answers RCPT with 452', { RCPT: '452 4.2.2 mailbox full' }, deferred, 0],
  ['answers RCPT with 550', { RCPT: '550 5.1.1 no such user' }, rejected('destination', '5.1.1'), 0],
  ['answers RCPT with a bare 550', { RCPT: '550 no such user' }, rejected('destination', '550'), 0],
  ['answers RCPT with 551', { RCPT: '551 5.1.6 moved' }, rejected('destination', '5.1.6'), 0],
  ['answers RCPT with 553', { RCPT: '553 5.1.3 bad address' }, rejected('destination', '5.1.3'), 0],
  ['answers RCPT with 552 for a full mailbox', { RCPT: '552 5.2.2 full' }, rejected('destination', '5.2.2'), 0],
  ['refuses to relay at RCPT', { RCPT: '554 5.7.1 relay access denied' }, rejected('provider', '5.7.1'), 0],
  ['closes at DATA', { DATA: 'close' }, notSent, 0],
  ['resets at DATA', { DATA: 'reset' }, notSent, 0],
  ['hangs at DATA', { DATA: 'hang' }, notSent, 0],
  ['answers DATA with 451', { DATA: '451 4.3.0 try later' }, deferred, 0],
  ['answers DATA with 554', { DATA: '554 5.5.1 no valid recipients' }, rejected('message', '5.5.1'), 0],
  ['closes after it asked for the message', { DATA: { reply: '354 go on', then: 'close' } }, unknown, 0],
  ['hangs after it asked for the message', { DATA: { reply: '354 go on', then: 'hang' } }, unknown, 0],
  ['closes amid the message', { body: 'close' }, unknown, 0],
  ['resets amid the message', { body: 'reset' }, unknown, 0],
  ['hangs amid the message', { body: 'hang' }, unknown, 0],
  ['closes after the message', { message: 'close' }, unknown, 1],
  ['resets after the message', { message: 'reset' }, unknown, 1],
  ['hangs after the message', { message: 'hang' }, unknown, 1],
  ['answers the message with nonsense', { message: 'well, yes' }, unknown, 1],
  ['answers the message with 354', { message: '354 go on' }, unknown, 1],
  ['breaks off in its answer to the message', { message: { reply: '250-2.0.0 Ok', then: 'close' } }, unknown, 1],
  ['answers the message with 421', { message: { reply: '421 4.3.2 going down', then: 'close' } }, deferred, 1],
  ['answers the message with 450', { message: '450 4.7.1 greylisted' }, deferred, 1],
  ['answers the message with 451', { message: '451 4.3.0 try later' }, deferred, 1],
  ['answers the message with 452', { message: '452 4.3.1 no room' }, deferred, 1],
  [
    'answers the message with 550 for the recipient',
    { message: '550 5.1.1 no such user' },
    rejected('destination', '5.1.1'),
    1,
  ],
  ['answers the message with 550 for its content', { message: '550 5.7.1 spam' }, rejected('message', '5.7.1'), 1],
  ['answers the message with 552', { message: '552 5.3.4 too big' }, rejected('message', '5.3.4'), 1],
  ['answers the message with 554', { message: '554 transaction failed' }, rejected('message', '554'), 1],
  ['closes after it took the message', { message: { reply: '250 2.0.0 Ok', then: 'close' } }, { kind: 'accepted' }, 1],
  ['hangs after it took the message', { message: { reply: '250 2.0.0 Ok', then: 'hang' } }, { kind: 'accepted' }, 1],
];

describe.each([
  ['with pipelining', ['PIPELINING', 'SIZE 1000000']],
  ['without extensions', []],
])('a server %s that', (_, extensions) => {
  test.for(FAULTS)('%s', async ([, script, outcome, complete]) => {
    const aborter = new AbortController();
    const fake = await fakeSmtp({
      script: (step) => {
        const act = script[step];
        // Where it hangs, the deadline ends it a little later: what was on its way has arrived then.
        if (act === 'hang') setTimeout(() => aborter.abort(), 50);
        else if (typeof act === 'object' && act.then === 'hang') setTimeout(() => aborter.abort(), 500);
        return act;
      },
      extensions,
    });
    closing.push(() => fake.close());
    const provider = providerAt(fake.port);
    expect(await provider.send(outgoing(), contextOf({ signal: aborter.signal }))).toMatchObject(outcome);
    await provider.close();
    expect(fake.complete).toHaveLength(complete);
  });
});

describe('a server that says nothing any more', () => {
  test('before the message, is given up so early that "not sent" is heard before the deadline', async () => {
    const fake = await server({ EHLO: 'hang' });
    const began = performance.now();
    expect(await providerAt(fake.port).send(outgoing(), contextOf({ deadlineMs: 3_000 }))).toMatchObject(notSent);
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  test('after the message, has until the deadline', async () => {
    const fake = await server({ message: 'hang' });
    const began = performance.now();
    expect(await providerAt(fake.port).send(outgoing(), contextOf({ deadlineMs: 1_000 }))).toMatchObject(unknown);
    expect(performance.now() - began).toBeGreaterThan(990);
  });
});

describe('a log-in that the server', () => {
  const cases: readonly (readonly [string, SmtpAct, object])[] = [
    ['refuses with 535', '535 5.7.8 wrong', rejected('provider', '5.7.8')],
    ['refuses with 534', '534 5.7.9 too weak', rejected('provider', '5.7.9')],
    ['refuses for now', '454 4.7.0 not now', notSent],
    ['refuses with 421', { reply: '421 4.3.2 busy', then: 'close' }, notSent],
    ['leaves unanswered', 'hang', notSent],
    ['closes upon', 'close', notSent],
  ];
  test.each(cases)('%s', async (_what, act, outcome) => {
    const fake = await server({ AUTH: act }, ['AUTH PLAIN']);
    const provider = providerAt(fake.port, { auth: { user: 'u', pass: 'secret' } });
    const said = await provider.send(outgoing(), contextOf(act === 'hang' ? HANGS : {}));
    expect(said).toMatchObject(outcome);
    expect(JSON.stringify(said)).not.toContain('secret');
    expect(fake.commands.filter((each) => each.startsWith('MAIL'))).toEqual([]);
  });
});

describe('before anything is sent', () => {
  test('a server that is not there is not sent to', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    expect(await providerAt(port).send(outgoing(), contextOf())).toMatchObject({
      kind: 'not-sent',
      reason: `no connection to 127.0.0.1:${port} (ECONNREFUSED)`,
    });
  });

  test('a name that nobody knows is not sent to', async () => {
    const provider = providerAt(25, { host: 'mail.invalid' });
    expect(await provider.send(outgoing(), contextOf())).toMatchObject({ kind: 'not-sent' });
  });

  test.each([
    ['from the first byte', { secure: true }],
    ['by STARTTLS', { requireTls: true }],
  ])('a server without TLS %s is not sent to where that is required', async (_, options) => {
    const fake = await server({});
    const said = await providerAt(fake.port, options).send(outgoing(), contextOf({ deadlineMs: 1_000 }));
    expect(['not-sent', 'rejected']).toContain(said.kind);
    expect(fake.commands.filter((each) => each.startsWith('MAIL'))).toEqual([]);
  });

  test('a message longer than the server takes is refused', async () => {
    const fake = await server({}, ['SIZE 200']);
    const said = await providerAt(fake.port).send(outgoing({ content: { text: 'x'.repeat(300) } }), contextOf());
    expect(said).toMatchObject({ kind: 'rejected', scope: 'message' });
    expect(fake.complete).toEqual([]);
  });
});

describe('a server that asks for a message that has no recipient left', () => {
  test('gets nothing of it', async () => {
    const fake = await server({ RCPT: '550 5.1.1 no such user', DATA: '354 go on' });
    const provider = providerAt(fake.port);
    expect(await provider.send(outgoing(), contextOf())).toMatchObject(rejected('destination', '5.1.1'));
    await provider.close();
    expect(fake.complete.filter(({ to, bytes }) => to.length > 0 || bytes !== '')).toEqual([]);
  });
});

describe('a deadline', () => {
  test('that has passed sends nothing', async () => {
    const fake = await server({});
    const provider = providerAt(fake.port);
    expect(await provider.send(outgoing(), contextOf({ deadlineMs: 0 }))).toMatchObject(notSent);
    expect(await provider.send(outgoing(), contextOf({ signal: AbortSignal.abort() }))).toMatchObject(notSent);
    expect(fake.connections()).toBe(0);
  });

  const aborted: readonly (readonly [SmtpStep, object])[] = [
    ['connect', notSent],
    ['EHLO', notSent],
    ['MAIL', notSent],
    ['RCPT', notSent],
    ['DATA', notSent],
    ['body', unknown],
    ['message', unknown],
  ];
  test.each(aborted)('that is cut short at %s is said at once', async (at, outcome) => {
    const aborter = new AbortController();
    const fake = await fakeSmtp({
      script: (step) => {
        if (step !== at) return undefined;
        setImmediate(() => aborter.abort());
        return 'hang';
      },
    });
    closing.push(() => fake.close());
    const began = performance.now();
    const context = contextOf({ signal: aborter.signal, deadlineMs: 60_000 });
    expect(await providerAt(fake.port).send(outgoing(), context)).toMatchObject(outcome);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test('that passes by the clock on the wall alone, since the host was asleep, lets no byte of the message out', async () => {
    const fake = await fakeSmtp({
      script: (step) => {
        if (step === 'DATA') vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
        return undefined;
      },
    });
    closing.push(() => fake.close());
    expect(await providerAt(fake.port).send(outgoing(), contextOf())).toMatchObject(notSent);
    expect(fake.complete).toEqual([]);
  });
});

describe('an answer that comes amid the message', () => {
  const long = outgoing({ content: { text: 'x'.repeat(16_000_000) } });

  test('is no acceptance: the rest had not left', async () => {
    const fake = await server({ body: { reply: '250 2.0.0 Ok', then: 'hang' } }, []);
    expect(await providerAt(fake.port).send(long, contextOf())).toMatchObject(unknown);
  });

  test('may refuse it, and then the rest never leaves', async () => {
    const fake = await server({ body: { reply: '552 5.3.4 too big', then: 'hang' } }, []);
    const provider = providerAt(fake.port);
    expect(await provider.send(long, contextOf())).toMatchObject(rejected('message', '5.3.4'));
    expect(fake.complete).toEqual([]);
    expect(await provider.send(outgoing(), contextOf())).toMatchObject({ kind: 'rejected' });
    expect(fake.connections()).toBe(2);
  });
});

describe('a kept connection', () => {
  const send = (provider: Provider, n: number): Promise<Outcome> =>
    provider.send(outgoing({ deliveryId: `d_${n}` }), contextOf({ key: `k_${n}` }));

  test('carries one message after another', async () => {
    const fake = await server({});
    const provider = providerAt(fake.port);
    for (let n = 1; n <= 5; n += 1) expect(await send(provider, n)).toMatchObject({ kind: 'accepted' });
    expect([fake.connections(), fake.complete.length]).toEqual([1, 5]);
  });

  test('is replaced after so many messages', async () => {
    const fake = await server({});
    const provider = providerAt(fake.port, { messagesPerConnection: 2 });
    for (let n = 1; n <= 5; n += 1) await send(provider, n);
    expect([fake.connections(), fake.complete.length]).toEqual([3, 5]);
    await provider.close();
    expect(fake.commands.filter((each) => each === 'QUIT')).toHaveLength(3);
  });

  test('goes on after a refused recipient, with a clean state', async () => {
    const fake = await fakeSmtp({
      script: (step, nth) => (step === 'RCPT' && nth === 1 ? '550 5.1.1 nobody' : undefined),
    });
    closing.push(() => fake.close());
    const provider = providerAt(fake.port);
    expect(await send(provider, 1)).toMatchObject({ kind: 'rejected', scope: 'destination' });
    expect(await send(provider, 2)).toMatchObject({ kind: 'accepted' });
    expect([fake.connections(), fake.complete.length]).toEqual([1, 1]);
    expect(fake.commands).toContain('RSET');
  });

  const ended: readonly (readonly [string, SmtpStep, SmtpAct])[] = [
    ['was closed by the server', 'message', { reply: '250 2.0.0 Ok', then: 'close' }],
    ['is closed upon the next MAIL', 'MAIL', 'close'],
    ['is reset upon the next MAIL', 'MAIL', 'reset'],
    ['answers the next MAIL with 421', 'MAIL', { reply: '421 4.4.2 idle too long', then: 'close' }],
    ['is closed upon the next DATA', 'DATA', 'close'],
  ];
  test.each(ended)('that %s is replaced within the attempt, since nothing had left', async (_, step, act) => {
    const at = step === 'message' ? 1 : 2;
    const fake = await fakeSmtp({ script: (each, nth) => (each === step && nth === at ? act : undefined) });
    closing.push(() => fake.close());
    const provider = providerAt(fake.port);
    expect(await send(provider, 1)).toMatchObject({ kind: 'accepted' });
    expect(await send(provider, 2)).toMatchObject({ kind: 'accepted' });
    expect([fake.connections(), fake.complete.length]).toEqual([2, 2]);
  });

  test('that cannot be reset is replaced within the attempt', async () => {
    const fake = await fakeSmtp({
      script: (step, nth) =>
        step === 'RSET' ? '500 no' : step === 'RCPT' && nth === 1 ? '550 5.1.1 nobody' : undefined,
    });
    closing.push(() => fake.close());
    const provider = providerAt(fake.port);
    await send(provider, 1);
    expect(await send(provider, 2)).toMatchObject({ kind: 'accepted' });
    expect(fake.connections()).toBe(2);
  });

  test.each(['close', 'reset'] as const)(
    'that does %s amid the next message is not replaced: the outcome is unknown',
    async (act) => {
      const fake = await fakeSmtp({ script: (step, nth) => (step === 'message' && nth === 2 ? act : undefined) });
      closing.push(() => fake.close());
      const provider = providerAt(fake.port);
      await send(provider, 1);
      expect(await send(provider, 2)).toMatchObject(unknown);
      expect([fake.connections(), fake.complete.length]).toEqual([1, 2]);
    },
  );

  // Its next reply may be the late one to this message: taken for the reply to another, it would be an acceptance that never was.
  test.each(['354 go on', 'well, yes'])('that answered a message with %j is not used again', async (reply) => {
    const fake = await fakeSmtp({ script: (step, nth) => (step === 'message' && nth === 1 ? reply : undefined) });
    closing.push(() => fake.close());
    const provider = providerAt(fake.port);
    expect(await send(provider, 1)).toMatchObject(unknown);
    expect(await send(provider, 2)).toMatchObject({ kind: 'accepted' });
    expect(fake.connections()).toBe(2);
  });

  test('is replaced once, not again and again', async () => {
    const fake = await fakeSmtp({ script: (step, nth) => (step === 'MAIL' && nth >= 2 ? 'close' : undefined) });
    closing.push(() => fake.close());
    const provider = providerAt(fake.port);
    await send(provider, 1);
    expect(await send(provider, 2)).toMatchObject(notSent);
    expect([fake.connections(), fake.complete.length]).toEqual([2, 1]);
  });

  test('is closed when it has nothing to do', async () => {
    const fake = await server({});
    const provider = providerAt(fake.port, { idleMs: 20 });
    await send(provider, 1);
    await expect.poll(() => fake.commands.at(-1)).toBe('QUIT');
  });
});

describe('many sends at once', () => {
  test('share as many connections as there may be, each message sent once', async () => {
    const fake = await server({});
    const provider = providerAt(fake.port, { maxConnections: 4 });
    const sends = Array.from({ length: 200 }, (_, n) =>
      provider.send(outgoing({ to: `r${n}@example.com` }), contextOf({ key: `k_${n}` })),
    );
    const outcomes = await Promise.all(sends);
    expect(outcomes.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
    expect(fake.connections()).toBeLessThanOrEqual(6);
    expect(new Set(fake.complete.map(({ to }) => to[0])).size).toBe(200);
    expect(fake.complete).toHaveLength(200);
  });

  test('that get no connection in time are not sent', async () => {
    const fake = await server({ message: 'hang' });
    const provider = providerAt(fake.port, { maxConnections: 1 });
    const [first, second] = await Promise.all([
      provider.send(outgoing(), contextOf({ deadlineMs: 2_000 })),
      provider.send(outgoing(), contextOf({ deadlineMs: 300, key: 'k_2' })),
    ]);
    expect([first?.kind, second?.kind]).toEqual(['unknown', 'not-sent']);
    expect(fake.complete).toHaveLength(1);
  });
});

describe('a closed provider', () => {
  test('says goodbye, sends nothing more, and may be closed again', async () => {
    const fake = await server({});
    const provider = providerAt(fake.port);
    await provider.send(outgoing(), contextOf());
    await provider.close();
    await provider.close();
    expect(fake.commands.at(-1)).toBe('QUIT');
    expect(await provider.send(outgoing(), contextOf())).toMatchObject(notSent);
  });

  test('does not wait for a server that does not answer its goodbye', async () => {
    const fake = await server({ QUIT: 'hang' });
    const provider = providerAt(fake.port);
    await provider.send(outgoing(), contextOf());
    const began = performance.now();
    await provider.close();
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});
