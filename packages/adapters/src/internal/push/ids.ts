import { createHash } from 'node:crypto';

/** An id as a topic of Web Push: 32 characters of base64url (RFC 8030 5.4), the same for the same id. */
export function topicOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 32);
}

/** An id as Apple's collapse id: itself where that fits into 64 bytes of ASCII, else a hash of it. */
export function collapseIdOf(id: string): string {
  return /^[!-~]{1,64}$/.test(id) ? id : topicOf(id);
}
