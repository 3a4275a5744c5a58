import { createRequire } from 'node:module';
import type * as Msw from 'msw';
import type { HttpHandler } from 'msw';
import { installed } from '../../internal/installed.ts';
import type { Dropped, WireAnswer, WireRequest } from './wire.ts';

export type Serve = (request: WireRequest) => Promise<WireAnswer | Dropped>;

const load = createRequire(import.meta.url);

/**
 * A vendor as msw has it: whatever goes to one of its addresses.
 * @throws SendonceError DRIVER_MISSING
 */
export function handlersOf(origin: RegExp, serve: Serve): readonly HttpHandler[] {
  const { http, HttpResponse } = installed(
    () => load('msw') as typeof Msw,
    "the handlers of a fake need the 'msw' package, 2.7 or later; run: npm install --save-dev msw",
  );
  return [
    http.all(origin, async ({ request }) => {
      const answer = await serve({
        method: request.method,
        url: new URL(request.url),
        headers: Object.fromEntries(request.headers),
        bytes: Buffer.from(await request.arrayBuffer()),
      });
      if (answer === 'dropped') return HttpResponse.error();
      const { status, headers = {}, body = null } = answer;
      return new HttpResponse(body, { status, headers: { ...headers } });
    }),
  ];
}
