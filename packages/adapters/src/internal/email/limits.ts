import type { Rejection } from '../rejection.ts';
import type { Attachment } from './attachments.ts';

export const MB: number = 1_048_576;

/** Why a mail of so many bytes can never be sent by this vendor, or null. */
export function tooLong(what: string, bytes: number, mostBytes: number): Rejection | null {
  if (bytes <= mostBytes) return null;
  const reason = `${what} is ${shown(bytes)} long; at most ${shown(mostBytes)} are taken`;
  return { kind: 'rejected', scope: 'message', reason, code: 'too-long' };
}

function shown(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MiB`;
}

/** The attachments as every mail carries them in the end: four characters for three bytes. */
export function base64Length(attachments: readonly Attachment[]): number {
  return attachments.reduce((sum, { content }) => sum + Math.ceil(content.length / 3) * 4, 0);
}
