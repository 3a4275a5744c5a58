import {
  providerCapabilities,
  providerLaws,
  runLaw,
  type ProviderSubject,
  type ServiceAnswer,
} from '@sendonce/core/conformance';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, test } from 'vitest';
import { httpProvider } from './http-provider.ts';

const url = 'https://mail.example/messages';
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

// #region subject
/** The service behind the provider, as stubborn as the real one: it remembers keys, and drops replies when told to. */
function subject(): ProviderSubject {
  const mailbox: string[] = [];
  const ids = new Map<string, string>();
  let next: ServiceAnswer = 'accepts';
  const answers: readonly ServiceAnswer[] = ['accepts', 'accepts-and-says-nothing', 'refuses', 'throttles'];
  server.use(
    http.post(url, async ({ request }) => {
      const [answer, key] = [next, request.headers.get('idempotency-key') ?? ''];
      next = 'accepts';
      if (answer === 'refuses') return HttpResponse.json({ error: 'no such template' }, { status: 422 });
      if (answer === 'throttles') return new HttpResponse(null, { status: 429, headers: { 'retry-after': '1' } });
      const { to } = (await request.json()) as { to: string };
      if (!ids.has(key)) mailbox.push(to);
      ids.set(key, ids.get(key) ?? `m-${mailbox.length}`);
      return answer === 'accepts' ? HttpResponse.json({ id: ids.get(key) }) : HttpResponse.error();
    }),
  );
  const provider = httpProvider({ name: 'mail', url, token: 'secret' });
  return {
    provider,
    answers,
    answerNext: (answer) => void (next = answer),
    delivered: async (to) => mailbox.filter((each) => each === to).length,
    capabilities: providerCapabilities(provider, answers),
    unitMs: 1,
    elapse: async () => undefined,
    close: () => provider.close(),
  };
}
// #endregion

// #region run
// A law that the declared capabilities rule out is skipped, and the summary says why.
test.for(providerLaws)('httpProvider $law', async (law, { skip }) => {
  const result = await runLaw(law, subject);
  if (result.kind === 'skipped') skip(result.reason);
  if (result.kind === 'broken') throw result.error;
});
// #endregion
