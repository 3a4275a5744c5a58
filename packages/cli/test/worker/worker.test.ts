import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { notify } from '../notify.ts';
import { running, type Running } from '../support/running.ts';
import { configText } from '../operate/support/ledger-folder.ts';
import { post, workerFolder } from './support.ts';

const mail = post();
const folder = workerFolder(mail.url);
const inFolder = (name: string): string => join(folder.file, '..', name);

/** Leases of an hour: whoever waits for one of them does not come to an end. */
const LONG_LEASES = '{ leaseMs: 3_600_000, pollMs: 20, graceMs: 60_000 }';

/** A provider that never connects, and a type that goes wherever its data say. */
const DOWN = `channels: { email: { providers: [{ ...provider, name: 'down', async send() { return { kind: 'not-sent', reason: 'no connection to 127.0.0.1:9911' }; } }] } },
  notifications: {
    alarm: {
      class: 'transactional',
      route: ({ channel }) => [1, 2, 3].map((i) => ({ channel, to: channel === 'email' ? 'p' + i + '@example.org' : 'https://example.org/' + i })),
      content: () => ({ subject: 'x' }),
    },
  },`;

/** For `node --import`: a wall clock that jumps at one SIGUSR2, and back at the next. */
const jumpingClock = (ms: number): string => `
const RealDate = Date;
let shift = 0;
globalThis.Date = class extends RealDate {
  constructor(...given) { super(...(given.length === 0 ? [RealDate.now() + shift] : given)); }
  static now() { return RealDate.now() + shift; }
};
process.on('SIGUSR2', () => {
  shift = shift === 0 ? ${ms} : 0;
  process.stderr.write('jumped ' + shift + String.fromCharCode(10));
});
`;

interface Body {
  readonly status?: string;
  readonly reasons?: readonly string[];
}

async function healthOf(worker: Running): Promise<(path: string) => Promise<{ status: number; body: Body }>> {
  const [, url = ''] = await worker
    .line(/"health":"(\S+?)"|Health: (\S+)\/healthz/)
    .then((found) => found.filter(Boolean));
  return async (path) => {
    const response = await fetch(url + path);
    return { status: response.status, body: (await response.json()) as Body };
  };
}

describe('notify worker', () => {
  test('that is asked to stop lets what is on its way finish, and gives the rest back for the next one at once', async () => {
    const file = inFolder('drain.db');
    const config = folder.configFor(file, LONG_LEASES);
    const ledger = folder.ledgerOf(file);
    await folder.publish(file, 12);
    mail.mailbox.length = 0;
    mail.hold();
    const first = running(['worker', '--config', config, '--concurrency', '3', '--name', 'anna', '--health-port', '0']);
    const health = await healthOf(first);
    await mail.reached(3);
    expect(await health('/healthz')).toEqual({ status: 200, body: { status: 'healthy' } });
    expect(await health('/status')).toMatchObject({
      status: 200,
      body: {
        schema: 'sendonce.worker/1',
        name: 'anna',
        state: 'working',
        healthy: true,
        stages: ['decide', 'deliver'],
        ledger: { deliveries: { dispatching: 3 } },
      },
    });
    expect((await health('/')).status).toBe(404);

    first.kill('SIGTERM');
    await first.line(/^Stopping: /m);
    expect((await health('/healthz')).body).toMatchObject({ status: 'stopping' });
    mail.open();
    expect(await first.ended).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^Stopped: (2 sent, 1 failed|1 failed, 2 sent)\.$/m),
    });
    expect((await ledger.count()).deliveries).toMatchObject({
      sent: 2,
      failed: 1,
      queued: 9,
      processing: 0,
      dispatching: 0,
    });

    const second = running(['worker', '--config', config]);
    await mail.reached(12);
    second.kill('SIGINT');
    expect((await second.ended).code).toBe(0);
    expect([...mail.mailbox].sort()).toEqual(Array.from({ length: 12 }, (_, i) => `p${i}@example.org`).sort());
    expect((await ledger.count()).deliveries).toMatchObject({ sent: 11, failed: 1, queued: 0 });
  });

  test.each([
    ['whose reader went away drains as after a signal, and ends with 74', false, 74],
    ['that is asked to stop by the Ctrl-C that ended its reader drains all the same, with 0', true, 0],
  ])('%s', async (_what, isSignalled, code) => {
    const file = inFolder(`unheard-${code}.db`);
    const config = folder.configFor(file, LONG_LEASES);
    const ledger = folder.ledgerOf(file);
    await folder.publish(file, 6);
    mail.mailbox.length = 0;
    mail.hold();
    const worker = running(['worker', '--config', config, '--concurrency', '3', '--json', '--health-port', '0']);
    const health = await healthOf(worker);
    await mail.reached(3);
    worker.hangUp();
    if (isSignalled) worker.kill('SIGINT');
    else mail.release('p0@example.org');
    while ((await health('/healthz')).body.status !== 'stopping');
    mail.open();
    expect((await worker.ended).code).toBe(code);
    const { deliveries } = await ledger.count();
    expect(deliveries).toMatchObject({ processing: 0, dispatching: 0, unknown: 0, 'retry-scheduled': 0 });
    expect(deliveries.sent + deliveries.failed).toBe(mail.mailbox.length);
    expect(deliveries.queued).toBe(6 - mail.mailbox.length);
  });

  test.skipIf(!existsSync('/dev/full'))('whose disk is full says so once, and ends with 74', async () => {
    const config = folder.configFor(inFolder('full.db'), '{ pollMs: 20 }');
    const { code, stderr } = await notify(['worker', '--config', config, '--json'], { stdout: 'full' });
    expect(code).toBe(74);
    expect(stderr).toMatch(/^Error OUTPUT_FAILED: what there is to say cannot be written to stdout: .*ENOSPC.*\n$/);
  });

  test('ends at once with 130 on a second signal', async () => {
    const file = inFolder('twice.db');
    const config = folder.configFor(file, LONG_LEASES);
    await folder.publish(file, 3);
    mail.mailbox.length = 0;
    mail.hold();
    const worker = running(['worker', '--config', config]);
    await mail.reached(3);
    worker.kill('SIGTERM');
    await worker.line(/^Stopping: /m);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(130);
    expect((await folder.ledgerOf(file).count()).deliveries.dispatching).toBe(3);
    mail.open();
  });

  test('whose ledger is out of reach says so with a code, tries again, and is unhealthy until it answers', async () => {
    const file = inFolder('later/ledger.db');
    const config = folder.configFor(file, '{ pollMs: 20, sweepMs: 20 }');
    const worker = running(['worker', '--config', config, '--json', '--health-port', '0']);
    const health = await healthOf(worker);
    await worker.line(/"kind":"worker.waiting".*"code":"LEDGER_UNAVAILABLE"/);
    await worker.line(/"kind":"worker.degraded"/);
    const ill = await health('/healthz');
    expect(ill).toMatchObject({ status: 503, body: { status: 'unhealthy' } });
    expect(ill.body.reasons?.join()).toContain(file);
    mkdirSync(join(file, '..'));
    await worker.line(/"kind":"worker.recovered"/);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });

  test('tells each event in a line of JSON, in which an address is a keyed hash', async () => {
    const file = inFolder('events.db');
    const config = folder.configFor(file, '{ pollMs: 20 }');
    await folder.publish(file, 2);
    mail.open();
    const worker = running(['worker', '--config', config, '--json'], { SENDONCE_LOG_KEY: 'a key' });
    await worker.line(/"to":"failed"/);
    await worker.line(/"to":"sent"/);
    worker.kill('SIGTERM');
    const { code, stdout, stderr } = await worker.ended;
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(events.at(0)).toMatchObject({
      kind: 'worker.started',
      concurrency: 50,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(events.at(-1)).toMatchObject({ kind: 'worker.stopped', settled: { sent: 1, failed: 1 } });
    const failed = events.find(({ to }) => to === 'failed');
    expect(failed?.['reason']).toMatch(/550 no mailbox (r_[\w-]{16}) here, see \1$/);
    expect(stdout + stderr).not.toMatch(/@example/i);
    expect(stderr).toContain('from the config');
  });

  test('says which process it is, why nothing is sent and when it tries again, and which channel it lacks', async () => {
    const file = inFolder('down.db');
    const ledger = `sqliteLedger({ file: ${JSON.stringify(file)}, synchronous: 'normal' })`;
    const config = folder.write('down.config.ts', configText(ledger, DOWN));
    for (const key of ['email', 'webhook']) {
      const data = JSON.stringify({ channel: key });
      const sent = await notify(['send', 'alarm', '--key', key, '--data-json', data, '--config', config]);
      expect(sent).toMatchObject({ code: 0, stderr: expect.stringContaining(`Ledger: ${file}\n`) });
    }
    const worker = running(['worker', '--config', config]);
    const [, number = ''] = await worker.line(/^Working: .*, process (\d+), ledger \S+down\.db\. Ctrl-C stops it\.$/m);
    await worker.line(
      /^email: not sent by down: no connection to 127\.0\.0\.1:9911, 3 deliveries; next try \d\d:\d\d:\d\dZ$/m,
    );
    await worker.line(/^put back: channel 'webhook' has no provider in this worker's config$/m);
    process.kill(Number(number), 'SIGKILL');
    expect((await worker.ended).code).toBe(null);
  });

  // A host whose clock is set while it works, and then set right: by an hour, in either direction, with messages on their way.
  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('whose clock jumps %s sends everything once, at the latest when it is right again', async (_where, ms) => {
    const file = inFolder(`jump${ms}.db`);
    const config = folder.configFor(file, '{ pollMs: 20, sweepMs: 50, concurrency: 3 }');
    const ledger = folder.ledgerOf(file);
    await folder.publish(file, 12);
    mail.mailbox.length = 0;
    mail.hold();
    const clock = pathToFileURL(folder.write('clock.mjs', jumpingClock(ms))).href;
    const worker = running(['worker', '--config', config], { NODE_OPTIONS: `--import ${clock}` });
    const settled = async (): Promise<number> => {
      const { sent, failed } = (await ledger.count()).deliveries;
      return sent + failed;
    };
    await mail.reached(3);
    worker.kill('SIGUSR2');
    await worker.line(new RegExp(`^jumped ${ms}$`, 'm'));
    mail.open();
    while ((await settled()) < 3);
    worker.kill('SIGUSR2');
    while ((await settled()) < 12);
    worker.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect([...mail.mailbox].sort()).toEqual(Array.from({ length: 12 }, (_, i) => `p${i}@example.org`).sort());
    expect((await ledger.count()).deliveries).toMatchObject({ sent: 11, failed: 1, parked: 0, unknown: 0 });
  });

  test('refuses with 2 what it cannot work with', async () => {
    const config = folder.configFor(inFolder('refused.db'), '{ pollMs: 20 }');
    const zero = folder.configFor(inFolder('refused.db'), '{ batch: 0 }', 'worker-0.config.ts');
    const odd = folder.write('odd.config.ts', 'export default {\n  channels: {,\n};\n');
    const port = mail.url().split(':').at(-1)!;
    const cases: readonly (readonly [words: RegExp, args: readonly string[]])[] = [
      [/FLAG_INVALID: --health-port \d+: another program listens/, ['--config', config, '--health-port', port]],
      [/CONFIG_INVALID: .*: worker\.batch must be .*, got 0, at .*worker-0\.config\.ts:19:13/, ['--config', zero]],
      [/CONFIG_FILE_INVALID: .*odd\.config\.ts.*odd\.config\.ts:2:\d+/, ['--config', odd]],
    ];
    const results = await Promise.all(cases.map(([, args]) => notify(['worker', ...args])));
    results.forEach(({ code, stderr }, at) => {
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(cases[at]![0]) });
    });
  });
});
