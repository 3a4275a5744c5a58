import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault, PlanFile, SimulationSetup } from '@sendonce/chaos';
import { afterAll, describe, expect, test } from 'vitest';
import { notify } from '../notify.ts';
import { childrenOf, commandOf, HAS_PROC, isAlive, start, until, type Started } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'notify-real-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Json = Readonly<Record<string, number>> & {
  readonly mode: string;
  readonly kills: readonly { readonly at: number; readonly phase: string }[];
  readonly faults: { readonly armed: number; readonly fired: number };
};

const real = (...args: readonly string[]): readonly string[] => [
  ...['simulate', '--real', '--workers', '2', '--seed', 'apple'],
  ...args,
];
const jsonOf = (text: string): Json => JSON.parse(text) as Json;

function planFile(name: string, faults: readonly Fault[], setup: Partial<SimulationSetup>, expect_: string): string {
  const plan: PlanFile = {
    schema: 'sendonce.plan/1',
    title: name,
    seed: 'apple',
    setup: {
      recipients: 2,
      workers: 1,
      concurrency: 10,
      provider: 'plain',
      class: 'transactional',
      onUnknown: null,
      queue: true,
      sender: null,
      knobs: {},
      ...setup,
    },
    faults,
    expect: expect_,
  };
  const file = join(folder, `${name}.plan.json`);
  writeFileSync(file, JSON.stringify(plan));
  return file;
}

// They mostly wait for leases, so they may wait together.
describe.concurrent('notify simulate --real', { timeout: 90_000 }, () => {
  test('kills a process that holds an acceptance, and everybody has one message', async () => {
    const { code, stdout } = await notify(real('--recipients', '80', '--kill-at', '40', '--json'));
    const result = jsonOf(stdout);
    expect(code).toBe(0);
    expect(result).toMatchObject({
      mode: 'real',
      verdict: 'pass',
      requested: 80,
      duplicated: 0,
      lost: 0,
      phantom: 0,
      kills: [{ at: 40, phase: 'after-accept' }],
      faults: { armed: 1, fired: 1 },
    });
    expect(Number(result['once']) + Number(result['recovered'])).toBe(80);
    expect(result['recovered']).toBeGreaterThan(0);
  });

  test('parks what nobody can know with a plain provider, lists it, and sends nothing twice', async () => {
    const report = join(folder, 'plain');
    const args = real('--recipients', '60', '--kill-at', '20', '--provider', 'plain', '--concurrency', '10');
    const { code, stdout } = await notify([...args, '--report', report]);
    const result = jsonOf(readFileSync(join(report, 'summary.json'), 'utf8'));
    expect({ code, result }).toMatchObject({ code: 0, result: { duplicated: 0, lost: 0 } });
    expect(Number(result['once']) + Number(result['parked'])).toBe(60);
    expect(result['parked']).toBeGreaterThan(0);
    expect(result['parked']).toBeLessThanOrEqual(10);
    expect(stdout).toContain(`Not sent (${result['parked']}), each with its reason`);
    expect(stdout).toMatch(
      /killed {5}w\d, process \d+ \(acceptance 20, after-accept\): it held \d+ deliver.*moved again/,
    );
    expect(stdout).toContain('processes  real ones; lease 2 s, dispatch window 3 s');
  });

  test('kills at points that the workers announce', async () => {
    const kills = ['--kill-at', '20:before-send', '--kill-at', '30:before-ack', '--kill-at', '40:mid-batch'];
    const { code, stdout } = await notify(
      real('--recipients', '60', '--provider', 'lookup', '--concurrency', '5', '--json', ...kills),
    );
    const result = jsonOf(stdout);
    expect({ code, result }).toMatchObject({
      code: 0,
      result: { duplicated: 0, lost: 0, parked: 0, faults: { armed: 3, fired: 3 } },
    });
    expect(result.kills.map(({ phase }) => phase).sort()).toEqual(['before-ack', 'before-send', 'mid-batch']);
  });

  test('kills somebody who lives, though the holder of that acceptance died a moment ago', async () => {
    const kills = ['--kill-at', '20', '--kill-at', '21', '--kill-at', '22'];
    const { code, stdout } = await notify(real('--recipients', '60', '--concurrency', '5', '--json', ...kills));
    const result = jsonOf(stdout);
    expect({ code, result }).toMatchObject({ code: 0, result: { duplicated: 0, lost: 0, faults: { fired: 3 } } });
    expect(result.kills).toHaveLength(3);
  });

  test('recovers each reply that was dropped, and counts nobody twice', async () => {
    const { code, stdout } = await notify(real('--recipients', '60', '--drop-acks', '20%', '--no-queue', '--json'));
    const result = jsonOf(stdout);
    expect({ code, result }).toMatchObject({ code: 0, result: { duplicated: 0, lost: 0, kills: [] } });
    expect(result.faults.fired).toBeGreaterThan(0);
    expect(result['recovered']).toBe(result.faults.fired);
  });

  test('catches a known-bad sender by the plan that virtual time found, which runs again both ways', async () => {
    const report = join(folder, 'break');
    const first = await notify(real('--break', 'unknown-is-failed', '--report', report));
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(/^VIOLATION {2}S1/);
    expect(first.stdout).toContain('--real');
    const plan = join(report, 'S1.plan.json');
    const [again, virtual] = await Promise.all([
      notify(['simulate', '--real', '--replay', plan, '--json']),
      notify(['simulate', '--replay', plan, '--json']),
    ]);
    expect([again.code, virtual.code]).toEqual([1, 1]);
    expect([jsonOf(again.stdout).mode, jsonOf(virtual.stdout).mode]).toEqual(['real', 'virtual']);
    expect(jsonOf(again.stdout)['duplicated']).toBe(1);
  });

  test('replays a kill at an exact point, with a clock that is told', async () => {
    const kill: Fault = { do: 'kill', op: 'ledger.mark', entity: 'r1', nth: 1, phase: 'B', ms: 1_000 };
    const file = planFile('send-before-mark', [kill], { recipients: [1], sender: 'send-before-mark' }, 'S1');
    const { code, stdout } = await notify(['simulate', '--real', '--replay', file]);
    expect(code).toBe(1);
    expect(stdout).toContain('r1 <');
    expect(stdout).toMatch(/killed {5}w1, process \d+ \(ledger\.mark B\)/);
    expect(stdout).toContain('their clock runs 20 times as fast');
  });

  test('has no mercy with the real worker either: the same kill, and it passes', async () => {
    const kill: Fault = { do: 'kill', op: 'ledger.mark', entity: 'r1', nth: 1, phase: 'A', ms: 1_000 };
    const file = planFile('real-worker', [kill], { provider: 'keyed' }, 'pass');
    const { code, stdout } = await notify(['simulate', '--real', '--replay', file, '--json']);
    expect({ code, result: jsonOf(stdout) }).toMatchObject({
      code: 0,
      result: { requested: 2, duplicated: 0, lost: 0, faults: { fired: 1 } },
    });
  });

  test('refuses a fault that real processes cannot be made to show, by its name', async () => {
    const amnesia: Fault = { do: 'amnesia', op: 'ledger.settle', entity: '*', nth: 1, phase: 'A' };
    const { code, stderr } = await notify([
      'simulate',
      '--real',
      '--replay',
      planFile('amnesia', [amnesia], {}, 'pass'),
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /PLAN_INVALID: .*\.plan\.json: faults\[0\] cannot be made on real processes \(amnesia at ledger\.settle/,
    );
  });

  test('leaves a ledger of the user’s own, and takes none that holds something', async () => {
    const file = join(folder, 'own.db');
    const args = real('--recipients', '5', '--drop-acks', '0', '--ledger', `sqlite:${file}`);
    const first = await notify(args);
    expect(first.code).toBe(0);
    expect(existsSync(file)).toBe(true);
    const second = await notify(args);
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(/FLAG_INVALID: --ledger "sqlite:.*own\.db": .*there is such a file/);
  });
});

describe.skipIf(!HAS_PROC).concurrent('the processes of a real run', { timeout: 90_000 }, () => {
  const long = real('--recipients', '5000', '--drop-acks', '0');

  interface Running extends Started {
    readonly children: readonly number[];
    /** Where the run has made its own folder. */
    readonly place: string;
  }

  /** A run under way: messages arrive. */
  async function started(args: readonly string[]): Promise<Running> {
    const place = mkdtempSync(join(folder, 'run-'));
    const run = start(args, place);
    await until(() => childrenOf(run.pid).length === 3, 'two workers and a provider run');
    const children = childrenOf(run.pid);
    await until(() => mailboxes(place).some((file) => statSync(file).size > 0), 'messages arrive');
    return { ...run, children, place };
  }

  function mailboxes(place: string): readonly string[] {
    return readdirSync(place)
      .map((name) => join(place, name, 'mailbox.ndjson'))
      .filter((file) => existsSync(file));
  }

  async function nothingIsLeft({ children, place }: Running): Promise<void> {
    await until(() => !children.some(isAlive), 'no process is left');
    await until(() => readdirSync(place).length === 0, 'no folder is left');
  }

  test('end when their supervisor is killed', async () => {
    const run = await started(long);
    run.child.kill('SIGKILL');
    await run.ended;
    await nothingIsLeft(run);
  });

  test('end when their supervisor is killed while they wait for its word', async () => {
    const run = await started(real('--recipients', '5000', '--kill-at', '4999:before-send'));
    // Nobody answers any more: at their next send the workers stand still, in a synchronous read.
    run.child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 500));
    run.child.kill('SIGKILL');
    await run.ended;
    await nothingIsLeft(run);
  });

  test('end on Ctrl-C, which everybody in the terminal gets', async () => {
    const run = await started(long);
    for (const pid of [...run.children, run.pid]) process.kill(pid, 'SIGINT');
    const { code } = await run.ended;
    expect(code).toBe(130);
    await nothingIsLeft(run);
  });

  test('are started again when they end by themselves, which is told', async () => {
    const run = await started(real('--recipients', '80', '--drop-acks', '0', '--concurrency', '2'));
    const worker = run.children.find((pid) => commandOf(pid).includes('worker'));
    process.kill(worker ?? -1, 'SIGKILL');
    const { code, stdout } = await run.ended;
    expect(code).toBe(4);
    expect(stdout).toMatch(/w\d ended by itself with SIGKILL/);
    expect(stdout).toContain('0 duplicated, 0 lost, 0 phantom');
    await nothingIsLeft(run);
  });
});
