import { createCipheriv, createECDH, createHash, hkdfSync, type ECDH } from 'node:crypto';
import type { Subscription } from './subscription.ts';

/** What has to be new for each message: nobody may see two messages under the same. */
export interface Ephemeral {
  /** 16 bytes. */
  readonly salt: Buffer;
  /** A private key of P-256. */
  readonly privateKey: Buffer;
}

/** RFC 8291 4: services take a body of 4,096 bytes at least, of which the header takes 86, the end mark 1 and GCM 16. */
export const MOST_PLAIN_BYTES = 3_993;
const RECORD_BYTES = 4_096;

/** The body of a push message (RFC 8291, one record of RFC 8188). Throws where the key of the subscription is no point of the curve. */
export function encrypted(plain: Buffer, { p256dh, auth }: Subscription, { salt, privateKey }: Ephemeral): Buffer {
  const ours = ecdhOf(privateKey);
  const publicKey = ours.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, publicKey]);
  const shared = hkdf(ours.computeSecret(p256dh), auth, info, 32);
  const key = hkdf(shared, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = hkdf(shared, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_BYTES, 0);
  sizes.writeUInt8(publicKey.length, 4);
  // 2: the last record, without padding.
  const record = [cipher.update(plain), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, sizes, publicKey, ...record]);
}

/**
 * Salt and key of one message, from a secret of the application's. They depend on the plain text and the subscription too: what differs in
 * any of them is encrypted under other keys, as with ones that are drawn.
 */
export function ephemeralOf(secret: Buffer, key: string, to: Subscription, plain: Buffer): Ephemeral {
  const context = createHash('sha256');
  for (const part of [Buffer.from(key), Buffer.from(to.endpoint.href), to.p256dh, to.auth, plain]) {
    // With its length: no two lists of parts read the same.
    context.update(`${part.length}:`).update(part);
  }
  const about = context.digest();
  const salt = hkdf(secret, about, 'sendonce web push salt', 16);
  for (let nth = 0; ; nth += 1) {
    const privateKey = hkdf(secret, about, `sendonce web push key ${nth}`, 32);
    // One in four thousand million numbers of 32 bytes is none of the curve.
    if (isPrivateKey(privateKey)) return { salt, privateKey };
  }
}

/** @throws where it is no private key of P-256. */
export function ecdhOf(privateKey: Buffer): ECDH {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  return ecdh;
}

export function isPrivateKey(privateKey: Buffer): boolean {
  try {
    return ecdhOf(privateKey).getPublicKey().length === 65;
  } catch {
    return false;
  }
}

function hkdf(secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}
