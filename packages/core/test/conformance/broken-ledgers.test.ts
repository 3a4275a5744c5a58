import { describe, expect, test } from 'vitest';
import { ledgerLaws, ledgerWalks, runLaws, type LawResult } from '../../src/conformance/index.ts';
import { BROKEN_LEDGERS } from './support/broken-ledgers.ts';
import { ledgerSubject } from './support/ledger-subject.ts';

/** Every law that goes red, or, where a mistake breaks nearly everything, the law that names it and `...`. */
const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  'a claim that mints no request of its own: a repeat claims anew': [
    'repeats a claim under the same request without writing: the same grant, the same fence, the same lease',
    'repeats a claim of due work under the same request: what it granted before, nothing new',
    'takes no more suspects with a repeat of a claim than the claim took itself',
    'grants nothing to a late copy of a claim that was granted and given back',
  ],
  'a claim that grants what somebody else holds': ['grants each delivery to one of two claimers', '...'],
  'a claim that answers in an order of its own': [
    'answers claims in the order of the request, whatever their order and their doubles',
    '...',
  ],
  'a claim of due work that gives more than was asked for': [
    'hands out due work without being told ids, the longest due first, and no more than asked',
    'repeats a claim of due work under the same request: what it granted before, nothing new',
  ],
  'a claim of due work that does not care for how long it has been due': [
    'leaves alone what has not been due for as long as was asked',
  ],
  'a mark that ignores the fence': [
    'fences off whoever lost the lease: no mark, renewal or release of theirs is taken',
    'marks only what is held: not without a claim, not after the lease, not for another provider',
  ],
  'a mark that is not written down': ['has the attempt on record before it answers go', '...'],
  'a mark that takes the last message instead of the frozen one': [
    'freezes the message by the first mark: every later one hands out the same',
    'keeps the open attempt open and the message frozen through a replay',
  ],
  'a mark that forgets the key window': [
    'marks beside an open attempt only with the same key inside its window, or with a declaration for that mark',
    'lets a declaration cover exactly one mark',
    'survives U, a replay scheduled, and the key window closing before its mark (3)',
  ],
  'a settle that ignores the fence': [
    'keeps the outcome of a fenced-off attempt as evidence of that attempt alone',
    'records a duplicate when a second attempt turns out accepted, once',
    'settles a batch in its order, each item by itself',
    '...',
  ],
  'a settle that drops what is fenced off': [
    'keeps the outcome of a fenced-off attempt as evidence of that attempt alone',
    'makes the record sent by a late acceptance in whatever state it waits',
    '...',
  ],
  "a settle that loses the provider's id": ['keeps the id that the provider gave the message', '...'],
  'a settle that refunds nothing': ['refunds what a provider put off: it counts as an attempt, not against the cap'],
  'a sweep that sends again what has no outcome': [
    'calls a delivery unknown when its dispatch window passed without an outcome, not before, and never sends it blindly',
    '...',
  ],
  'a sweep that hands the unknown to everybody': [
    'hands an unknown delivery to one reconciler at a time, and again when it did not decide',
  ],
  'a reconcile that ignores the fence': ['fences off the slower of two reconcilers (7)', '...'],
  'a release that keeps the lease': [
    'takes work back at once when it is released, and a second release is fenced',
    '...',
  ],
  'a renewal that renews nothing': ['renews a lease from now on, for its holder', '...'],
  'an accept that lets another body pass': [
    'answers a conflict for another body under the same key, and writes nothing',
    'knows what was forgotten: the same publish is repeated, another body a conflict, and nobody is told again',
  ],
  'an add that says each time that it added': [
    'adds a page once: a repeat says so and writes nothing',
    "freezes a route's single page together with its deliveries",
  ],
  'evidence that is dropped when it comes too early': [
    'keeps an event that comes before its delivery, and matches it when that is made',
    '...',
  ],
  'a cancel that always says yes': [
    'answers too late once an attempt is open, tries no more, and leaves it to its outcome',
    'answers too late for a notification that is done, and absent for what it does not know',
    'tries no more after a cancel, whichever way a reconciler wanted to try again',
    'answers a cancel of what is over by what became of it: too late, or as good as cancelled',
    'survives a cancel, or the expiry, between the mark and the acceptance (5)',
    'takes nothing from whoever still holds something of what was forgotten',
  ],
  'an opt-out that is not kept': ['refuses what the recipient opted out of: by topic or all, by channel or all', '...'],
  'a block that blocks nothing': [
    'makes what is blocked wait, says by which scope, and lets it pass when the block is lifted',
  ],
  'a replay that always forces': [
    'sends a forced generation although an earlier one was sent, and no other',
    'survives U, parked, replayed as a generation, and the first generation accepted late (9)',
  ],
  'a forget that does not ask for how long something has been over': [
    'forgets nothing that is not over for so long, that is parked, or that is being sent again; and says what holds it',
  ],
  'a forget that leaves no tombstone': [
    'forgets a notification that is over with all that came of it, and leaves a tombstone that says what it was',
    'knows what was forgotten: the same publish is repeated, another body a conflict, and nobody is told again',
    'takes nothing from whoever still holds something of what was forgotten',
    'forgets a cancelled notification that was never expanded',
  ],
  'a list that forgets its cursor': [
    'lists every delivery once, page by page, while nothing changes',
    'lists by state, notification, type, channel, provider, recipient and tenant, each and together',
  ],
  'a count that forgets what was assumed': ['counts what it assumed apart, until somebody proves it'],
  'a history that is told backwards': [
    'tells the story of a delivery, if it keeps stories: an unbroken chain of declared moves up to its state',
  ],
};

function red(results: readonly LawResult[]): readonly string[] {
  return results.filter(({ kind }) => kind === 'broken').map(({ law }) => law);
}

describe('the laws of the ledger', () => {
  test.each(Object.keys(BROKEN_LEDGERS))('name %s', async (name) => {
    const results = await runLaws(ledgerLaws, () => ledgerSubject({}, BROKEN_LEDGERS[name]));
    const expected = NAMED_BY[name] ?? [];
    if (expected.includes('...'))
      expect(red(results)).toEqual(expect.arrayContaining(expected.filter((law) => law !== '...')));
    else expect([...red(results)].sort()).toEqual([...expected].sort());
  });

  test('are kept by the ledger that nothing is wrong with', async () => {
    expect(red(await runLaws(ledgerLaws, () => ledgerSubject()))).toEqual([]);
  });
});

describe('random histories', () => {
  const seeds = Array.from({ length: 40 }, (_, i) => i + 1);
  test.each([
    'a claim that mints no request of its own: a repeat claims anew',
    'a mark that ignores the fence',
    'a mark that is not written down',
    'a count that forgets what was assumed',
  ])('find %s by themselves, and name the seed', async (name) => {
    const results = await runLaws(ledgerWalks(seeds), () => ledgerSubject({}, BROKEN_LEDGERS[name]));
    expect(red(results).length).toBeGreaterThan(0);
    expect(red(results)[0]).toMatch(/seed \d+$/);
  });
});
