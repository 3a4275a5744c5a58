import { describe, expect, test } from 'vitest';
import { smtpError, type SmtpError } from '../../src/internal/smtp/library.ts';
import { isStale, outcomeOfFailure, queueIdIn } from '../../src/internal/smtp/replies.ts';

function failed(code: string, command: string, response = ''): SmtpError {
  const responseCode = Number(/^\d+/.exec(response)?.[0] ?? 0);
  return Object.assign(smtpError('it failed', code), {
    command,
    ...(response === '' ? {} : { response, responseCode }),
  });
}

describe('what a failure proves', () => {
  // The library's code and command for it do not tell whether the message had begun: we do.
  test.each(['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EPROTOCOL', 'ESTREAM', 'ETLS', 'EDNS', 'whatever'])(
    'a connection that is lost with %s is unknown once the message had begun, and not sent before',
    (code) => {
      expect(outcomeOfFailure({ error: failed(code, 'CONN'), begun: true }).kind).toBe('unknown');
      expect(outcomeOfFailure({ error: failed(code, 'CONN'), begun: false }).kind).toBe('not-sent');
    },
  );

  test('a half reply at the end of a lost connection is none', () => {
    const error = failed('ECONNECTION', 'CONN', '451 4.3.0 try');
    expect(outcomeOfFailure({ error, begun: true }).kind).toBe('unknown');
  });

  test.each([250, 354, 600, 199])('a reply %i to the message that is no refusal is unknown', (code) => {
    expect(outcomeOfFailure({ error: failed('EMESSAGE', 'DATA', `${code} hm`), begun: true }).kind).toBe('unknown');
  });

  const scopes: readonly (readonly [string, string, string, string])[] = [
    ['EPROTOCOL', 'CONN', '554 no service', 'provider'],
    ['EPROTOCOL', 'HELO', '550 no', 'provider'],
    ['ETLS', 'STARTTLS', '502 no', 'provider'],
    ['EAUTH', 'AUTH PLAIN', '535 5.7.8 wrong', 'provider'],
    ['EAUTH', 'AUTH XOAUTH2', '550 5.7.3 no', 'provider'],
    ['EENVELOPE', 'MAIL FROM', '553 5.7.1 not yours', 'provider'],
    ['EENVELOPE', 'MAIL FROM', '552 5.3.4 too big', 'message'],
    ['EENVELOPE', 'RCPT TO', '550 5.1.1 nobody', 'destination'],
    ['EENVELOPE', 'RCPT TO', '501 5.1.3 syntax', 'destination'],
    ['EENVELOPE', 'RCPT TO', '530 5.7.0 log in', 'provider'],
    ['EENVELOPE', 'RCPT TO', '550 5.7.1 blocked', 'provider'],
    ['EENVELOPE', 'DATA', '503 5.5.1 sequence', 'provider'],
    ['EMESSAGE', 'DATA', '550 5.4.1 no way there', 'destination'],
    ['EMESSAGE', 'DATA', '550 5.1.8 bad sender', 'message'],
    ['EMESSAGE', 'DATA', '554 5.6.0 malformed', 'message'],
  ];
  test.each(scopes)('%s at %s with %s is about the %4$s', (code, command, response, scope) => {
    expect(outcomeOfFailure({ error: failed(code, command, response), begun: code === 'EMESSAGE' })).toMatchObject({
      kind: 'rejected',
      scope,
    });
  });

  test('a kept connection is stale only where nothing had begun and nothing was refused', () => {
    const stale = (error: SmtpError, begun = false): boolean => isStale({ error, begun });
    expect(stale(failed('ECONNECTION', 'CONN'))).toBe(true);
    expect(stale(failed('EENVELOPE', 'MAIL FROM', '421 4.4.2 idle'))).toBe(true);
    expect(stale(failed('ECONNECTION', 'CONN'), true)).toBe(false);
    expect(stale(failed('EENVELOPE', 'RCPT TO', '450 4.2.0 later'))).toBe(false);
    expect(stale(failed('EMESSAGE', 'MAIL FROM'))).toBe(false);
  });
});

test.each([
  ['250 2.0.0 Ok: queued as 4F2A1B', '4F2A1B'],
  ['250 OK id=1rXyZ0-0004kL-2b', '1rXyZ0-0004kL-2b'],
  ['250 Ok 0100018b5c3c0a4f-3f2a-000000', '0100018b5c3c0a4f-3f2a-000000'],
  ['250 2.0.0 41R8bXqk012345 Message accepted for delivery', '41R8bXqk012345'],
  ['250 2.6.0 <k@x> [InternalId=1234567, Hostname=h] Queued mail for delivery', '1234567'],
  ['250 OK', null],
  ['250 2.0.0 thanks', null],
])('the reply %j names the id %j', (reply, id) => {
  expect(queueIdIn(reply)).toBe(id);
});
