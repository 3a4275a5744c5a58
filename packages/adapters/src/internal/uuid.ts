import { createHash } from 'node:crypto';

/** A UUID of version 5 (RFC 9562, 5.5): the same for the same name. The namespace is a UUID itself. */
export function namedUuid(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name);
  return uuid(hash.digest(), 5);
}

/** A key as a UUID in the form of RFC 9562 version 8: the same for the same key. */
export function keyUuid(key: string): string {
  return uuid(createHash('sha256').update(key).digest(), 8);
}

/** The first 16 bytes, with version and variant in their places. */
function uuid(hash: Buffer, version: number): string {
  const bytes = hash.subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | (version << 4);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
