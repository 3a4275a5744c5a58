/** A request as it came, read to its end. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  /** Their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** What a vendor answers. */
export interface WireAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** @defaultValue nothing */
  readonly body?: string;
}

/** Instead of an answer: the connection ends without a byte. */
export type Dropped = 'dropped';

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

export function html(status: number, words: string): WireAnswer {
  const body = `<html><body><h1>${status} ${words}</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}

export function plain(status: number, body: string): WireAnswer {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}
