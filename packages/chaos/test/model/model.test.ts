import { describe, expect, test } from 'vitest';
import { BROKEN_LEDGERS } from '../../../core/test/conformance/support/broken-ledgers.ts';
import { ledgerSubject } from '../../../core/test/conformance/support/ledger-subject.ts';
import { checkAgainstReference } from '../../src/model/index.ts';

/** One for each part of the port. What random histories find of all of them: MODEL=all npx vitest run packages/chaos/test/model */
const SOME = [
  'a claim that grants what somebody else holds',
  'a mark that is not written down',
  'a settle that ignores the fence',
  'a renewal that renews nothing',
  'evidence that is dropped when it comes too early',
  'a list that forgets its cursor',
  'a history that is told backwards',
];
/** Too far from where a history begins: the laws go straight there. */
const OUT_OF_REACH = [
  'a claim of due work that gives more than was asked for',
  'a mark that forgets the key window',
  'a reconcile that ignores the fence',
];
const isAll = process.env['MODEL'] === 'all';

describe('random histories beside the reference', () => {
  test('find nothing wrong with the reference itself', async () => {
    await checkAgainstReference(() => ledgerSubject(), { runs: isAll ? 2_000 : 40 });
  });

  const broken = Object.entries(BROKEN_LEDGERS).filter(([name]) =>
    isAll ? !OUT_OF_REACH.includes(name) : SOME.includes(name),
  );
  test.each(broken)('find %s, and show it in a short history', async (_name, liar) => {
    const found: unknown = await checkAgainstReference(() => ledgerSubject({}, liar), { runs: 1_000 }).catch(
      (error: unknown) => error,
    );
    expect(found).toMatchObject({
      message: expect.stringMatching(/seed: 1, path: "/) as string,
      cause: { message: expect.stringMatching(/otherwise than the reference/) as string },
    });
    const [, history = ''] = /Counterexample: \[(.*) \/\*/.exec((found as Error).message) ?? [];
    expect(history.split(',').length, history).toBeLessThanOrEqual(12);
  });

  test('are the same for the same seed', async () => {
    const told = async (): Promise<unknown> =>
      checkAgainstReference(() => ledgerSubject({}, BROKEN_LEDGERS['a mark that is not written down']), {
        seed: 7,
      }).catch((error: unknown) => (error as Error).message);
    expect(await told()).toBe(await told());
  });
});
