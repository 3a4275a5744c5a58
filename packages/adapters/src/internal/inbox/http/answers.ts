import { isSendonceError } from '@sendonce/core';

/** What is somebody's own is kept by nobody in between. */
const HEADERS = { 'cache-control': 'no-store' };

export function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...HEADERS, 'content-type': 'application/json' } });
}

export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...HEADERS, ...headers } });
}

export function refused(status: number, code: string, message: string): Response {
  return json(status, { error: { code, message } });
}

/** What the caller can mend is said; of a store that fails, its code alone. */
export function failed(error: unknown): Response {
  if (isSendonceError(error, 'OPTION_INVALID')) return refused(400, error.code, error.message);
  if (isSendonceError(error)) return refused(503, error.code, 'the inbox is out of reach; try again later');
  return empty(500);
}
