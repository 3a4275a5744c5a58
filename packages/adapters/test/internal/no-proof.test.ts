import { expect, test } from 'vitest';
import { refusalOf } from '../../src/internal/http/refusal.ts';
import { outcomeOfFailure } from '../../src/internal/smtp/replies.ts';

/** What a refusal of a destination says about it: a dead one is deactivated, a suspicion is kept. */
const proof = (outcome: object): string =>
  'goneAt' in outcome ? (outcome.goneAt === null ? 'suspicion' : 'dead since') : 'dead';

test.each([
  ['550 5.1.1 no such user', 'dead'],
  ['550 no such user', 'dead'],
  ['550 5.2.1 mailbox disabled', 'dead'],
  ['552 5.2.2 mailbox full', 'suspicion'],
  ['552 5.2.3 too large for this mailbox', 'suspicion'],
  ['550 5.4.4 unable to route', 'suspicion'],
])("an SMTP server's '%s' to a recipient makes it %s", (response, is) => {
  const error = Object.assign(new Error(response), {
    code: 'EENVELOPE',
    command: 'RCPT TO',
    response,
    responseCode: Number(response.slice(0, 3)),
  });
  const outcome = outcomeOfFailure({ error, begun: false });
  expect(outcome).toMatchObject({ kind: 'rejected', scope: 'destination' });
  expect(proof(outcome)).toBe(is);
});

test.each([
  [410, 'dead'],
  [404, 'suspicion'],
  [401, 'suspicion'],
  [308, 'suspicion'],
])("status %i of a recipient's own receiver makes it %s", (status, is) => {
  const answer = { status, headers: {}, body: null };
  const outcome = refusalOf(answer as never, { address: 'destination', notTakenOn: new Set() }, 0);
  expect(outcome).toMatchObject({ kind: 'rejected', scope: 'destination' });
  expect(proof(outcome)).toBe(is);
});
