import { http, HttpResponse, type HttpHandler } from 'msw';
import type { Dropped, WireAnswer, WireRequest } from './wire.ts';

export type Serve = (request: WireRequest) => Promise<WireAnswer | Dropped>;

/** A vendor as msw has it: whatever goes to one of its addresses. */
export function handlersOf(origin: RegExp, serve: Serve): readonly HttpHandler[] {
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
