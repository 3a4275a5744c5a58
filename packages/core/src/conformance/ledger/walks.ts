import assert from 'node:assert/strict';
import { isSettled, type DeliveryRecord } from '../../model/delivery.ts';
import type { Law } from '../contract.ts';
import { generator, type Generator } from '../generator.ts';
import { checkCounts, checkRecord, checkStep } from './invariants.ts';
import { scene, type Scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';
import { drawCall, KEY_WINDOW_UNITS, type WalkMemory } from './walk.ts';

export interface WalkOptions {
  /** Calls per history. @defaultValue 120 */
  readonly steps?: number;
}

/** One law per seed: a random history of calls, stale and repeated ones among them, breaks no invariant at any step. */
export function ledgerWalks(
  seeds: readonly number[],
  { steps = 120 }: WalkOptions = {},
): readonly Law<LedgerSubject>[] {
  return seeds.map((seed) => ({
    law: `breaks no invariant along the random history with seed ${seed}`,
    check: (subject: LedgerSubject) => walk(subject, generator(seed), steps),
  }));
}

async function walk(subject: LedgerSubject, random: Generator, steps: number): Promise<void> {
  const expiresInUnits = random.chance(0.5) ? 40 + random.integer(200) : null;
  const s = await scene(subject, { recipients: 3, maxAttempts: 2 + random.integer(3), expiresInUnits });
  const memory: WalkMemory = { ids: [...s.ids], grants: [], marks: [], unknown: [], claims: [] };
  const trail: string[] = [];
  let before = await look(s, memory);
  try {
    for (let step = 0; step < steps; step += 1) {
      before = await takeStep(subject, s, memory, random, before, trail);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new assert.AssertionError({ message: `after ${trail.join(', ')}: ${reason}` });
  }
}

async function takeStep(
  subject: LedgerSubject,
  s: Scene,
  memory: WalkMemory,
  random: Generator,
  before: readonly DeliveryRecord[],
  trail: string[],
): Promise<readonly DeliveryRecord[]> {
  if (random.chance(0.12)) {
    const units = random.pick([1, 6, 11, 21]) ?? 1;
    trail.push(`${units} units`);
    await s.elapse(units);
  }
  const next = drawCall(s, memory, random, subject.unitMs);
  trail.push(next.name);
  const answer = await next.make();
  next.learn(answer as never);
  const after = await look(s, memory);
  const windowMs = subject.unitMs * KEY_WINDOW_UNITS;
  for (const record of after) checkRecord(record);
  for (const [i, record] of before.entries()) checkStep(record, after[i]!, windowMs);
  checkCounts(await s.ledger.count(), after);
  await checkNotification(s, after);
  if (!next.isRepeatable || !random.chance(0.4)) return after;
  trail.push('again');
  await next.make();
  assert.deepEqual(await look(s, memory), after, 'the repeated call wrote something');
  return after;
}

async function look(s: Scene, memory: WalkMemory): Promise<readonly DeliveryRecord[]> {
  const records = await s.ledger.find(memory.ids);
  return records.map((record, i) => {
    assert.ok(record !== null, `'${memory.ids[i]}' is gone`);
    return record;
  });
}

/** Done when everything is settled; and a generation made after that keeps it done. */
async function checkNotification(s: Scene, records: readonly DeliveryRecord[]): Promise<void> {
  const { state } = await s.notificationRecord();
  const firsts = records.filter(({ generation }) => generation === 0);
  if (records.every((record) => isSettled(record.state))) assert.equal(state, 'done', 'everything is settled');
  else if (!firsts.every((record) => isSettled(record.state)))
    assert.equal(state, 'expanded', 'not everything is settled');
}
