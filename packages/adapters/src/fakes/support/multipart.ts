import { formIn } from './read.ts';
import type { WireRequest } from './wire.ts';

/** The fields of a multipart body, or of a plain form; of a file its name. Null: neither. */
export function fieldsIn(request: WireRequest): Readonly<Record<string, string>> | null {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded')) return formIn(request);
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary === undefined) return null;
  // Latin-1 keeps every byte as it is, so that a file in between is harmless.
  const parts = `\r\n${request.bytes.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1, -1);
  return Object.fromEntries(parts.map(fieldIn));
}

function fieldIn(part: string): readonly [name: string, value: string] {
  const end = part.indexOf('\r\n\r\n');
  const head = utf8(part.slice(0, end));
  const [name = '', file] = [/ name="([^"]*)"/i.exec(head)?.[1], / filename="([^"]*)"/i.exec(head)?.[1]];
  return [name, file ?? utf8(part.slice(end + 4))];
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}
