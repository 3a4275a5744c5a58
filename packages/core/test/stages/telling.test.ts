import { describe, expect, test } from 'vitest';
import type { Telemetry, TelemetryEvent } from '../../src/index.ts';
import { manualClock } from '../../src/memory/index.ts';
import { telling } from '../../src/stages/telling.ts';
import { ODD_VALUES } from '../support/odd.ts';
import { never } from '../support/tap.ts';

const EVENT: TelemetryEvent = { kind: 'duplicate.recorded', at: 0, id: 'd_1' };

/** A sink that does this, between two that listen. */
function make(emit: () => unknown) {
  const heard: TelemetryEvent[] = [];
  const warnings: string[] = [];
  const good: Telemetry = { emit: (event) => void heard.push(event) };
  const tell = telling([good, { emit: emit }, { ...good }], {
    clock: manualClock(),
    warn: (message) => void warnings.push(message),
  });
  return { heard, warnings, tell };
}

function thrown(odd: () => unknown): never {
  throw odd();
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe.each(ODD_VALUES)('a telemetry sink that fails with $what', ({ make: odd }) => {
  test.each<[how: string, emit: () => unknown]>([
    [
      'thrown',
      () => {
        throw odd();
      },
    ],
    ['rejected', () => Promise.resolve().then(() => thrown(odd))],
    [
      'rejected by a thenable',
      () => ({
        then: (_resolve: unknown, reject: (thrown: unknown) => void) => reject(odd()),
      }),
    ],
  ])('%s: the others hear everything, and it is said once', async (_how, emit) => {
    const { heard, warnings, tell } = make(emit);
    for (let i = 0; i < 3; i += 1) tell(EVENT);
    await settled();
    expect(heard.filter(({ kind }) => kind === EVENT.kind)).toHaveLength(6);
    expect(heard.filter(({ kind }) => kind === 'worker.degraded')).toHaveLength(2);
    expect(heard).toContainEqual(
      expect.objectContaining({
        worker: 'telemetry',
        reason: expect.stringMatching(/^telemetry sink 2 of 3 failed: ./),
      }),
    );
    expect(warnings).toHaveLength(1);
  });
});

describe('a telemetry sink', () => {
  test('that answers a promise is not waited for', async () => {
    const { heard, warnings, tell } = make(() => never);
    tell(EVENT);
    expect(heard).toHaveLength(2);
    await settled();
    expect(warnings).toEqual([]);
  });

  test('that answers what cannot be looked at has failed', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const { heard, warnings, tell } = make(() => proxy);
    tell(EVENT);
    expect(heard.filter(({ kind }) => kind === EVENT.kind)).toHaveLength(2);
    expect(warnings).toHaveLength(1);
  });

  test('may fail in company: all of them are named, each once', () => {
    const warnings: string[] = [];
    const bad = (): Telemetry => ({
      emit: () => {
        throw new Error('full disk');
      },
    });
    const tell = telling([bad(), bad()], { clock: manualClock(), warn: (message) => void warnings.push(message) });
    for (let i = 0; i < 3; i += 1) tell(EVENT);
    expect(warnings.map((each) => each.slice(0, 23)).sort()).toEqual([
      'telemetry sink 1 of 2 f',
      'telemetry sink 2 of 2 f',
    ]);
  });
});
