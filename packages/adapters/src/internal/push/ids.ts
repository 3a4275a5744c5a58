import { createHash } from 'node:crypto';

/** An id as a topic of Web Push: 32 characters of base64url (RFC 8030 5.4), the same for the same id. */
export function topicOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 32);
}

/** An id as Apple's collapse id: itself where that fits into 64 bytes of ASCII, else a hash of it. */
export function collapseIdOf(id: string): string {
  return /^[!-~]{1,64}$/.test(id) ? id : topicOf(id);
}

/** A key as a UUID in the form of RFC 9562 version 8: the same for the same key. */
export function uuidOf(key: string): string {
  const bytes = createHash('sha256').update(key).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
