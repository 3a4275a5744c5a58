import { describe, expect, test } from 'vitest';
import { webhookHeaders, webhookKey } from '../../src/internal/standard-webhooks.ts';

// The example of the Standard Webhooks specification's own tests.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };

describe('a signature', () => {
  test('is that of the specification', () => {
    expect(webhookHeaders(webhookKey(SECRET), MESSAGE)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test.each([{ id: 'msg_other' }, { timestamp: 1614265331 }, { body: '{"test": 2432232315}' }])(
    'covers %o',
    (other) => {
      const signed = webhookHeaders(webhookKey(SECRET), { ...MESSAGE, ...other });
      expect(signed['webhook-signature']).not.toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    },
  );
});

describe('a secret', () => {
  const bytes = (count: number): string => `whsec_${Buffer.alloc(count, 7).toString('base64')}`;

  test.each([24, 32, 64])('of %d bytes is taken', (count) => {
    expect(webhookKey(bytes(count))).toHaveLength(count);
    expect(webhookKey(bytes(count).replace(/=+$/, ''))).toHaveLength(count);
  });

  test.each<[what: string, secret: string]>([
    ['without its prefix', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['that is too short', bytes(23)],
    ['that is too long', bytes(65)],
    ['that is not base64', 'whsec_not base64 at all, but long enough'],
    ['that is blank', 'whsec_   '],
  ])('%s is refused, and not shown', (_what, secret) => {
    const error = expect.objectContaining({
      code: 'OPTION_INVALID',
      message: expect.not.stringContaining(secret) as string,
    });
    expect(() => webhookKey(secret)).toThrow(error as Error);
  });
});
