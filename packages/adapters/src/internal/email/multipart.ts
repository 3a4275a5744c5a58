import { createHash } from 'node:crypto';

/** A field of a form, or a file in it. Names are the adapter's own or checked: they hold no line break. */
export interface Part {
  readonly name: string;
  readonly value: string | Buffer;
  readonly filename?: string;
  readonly contentType?: string;
}

/** A body of `multipart/form-data`: the same parts and key, the same bytes. */
export function multipart(
  parts: readonly Part[],
  key: string,
): { readonly contentType: string; readonly body: Buffer } {
  const boundary = boundaryOf(parts, key);
  const chunks = parts.flatMap((part) => [Buffer.from(headOf(part, boundary)), Buffer.from(part.value), CRLF]);
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

const CRLF = Buffer.from('\r\n');

function headOf({ name, filename, contentType }: Part, boundary: string): string {
  const file = filename === undefined ? '' : `; filename="${quoted(filename)}"`;
  const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n${type}\r\n`;
}

/** As browsers write it: https://html.spec.whatwg.org/#multipart-form-data */
function quoted(text: string): string {
  return text.replace(/["\r\n]/g, encodeURIComponent);
}

/** Of the key and of all that is between the boundaries: a text that knew its boundary could add fields of its own. */
function boundaryOf(parts: readonly Part[], key: string): string {
  const hash = createHash('sha256').update(key);
  for (const { name, filename, value } of parts)
    hash.update(JSON.stringify([name, filename, Buffer.byteLength(value)])).update(value);
  return `sendonce-${hash.digest('hex').slice(0, 32)}`;
}
