import { createHmac } from 'node:crypto';
import { SendonceError } from '@sendonce/core';

const PREFIX = 'whsec_';

/**
 * The key inside a Standard Webhooks secret: `whsec_` and 24 to 64 bytes of base64.
 * @throws SendonceError OPTION_INVALID saying what is wrong, without the secret.
 */
export function webhookKey(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(encoded, 'base64');
  // Buffer.from skips what is not base64; what it made of it tells.
  const isClean = key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (encoded !== '' && isClean && key.length >= 24 && key.length <= 64) return key;
  throw new SendonceError(
    'OPTION_INVALID',
    `secret must be '${PREFIX}' followed by 24 to 64 bytes in base64, got ${secret.length} characters that are not`,
  );
}

export interface SignedMessage {
  /** The receiver's idempotency key: the same on every repeat of the message. */
  readonly id: string;
  /** Of this very request, unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers by which a receiver knows the sender, the message and its age. */
export function webhookHeaders(key: Buffer, { id, timestamp, body }: SignedMessage): Record<string, string> {
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}
