import type { Outcome, OutgoingMessage, Provider } from '@sendonce/core';
import { answer, fakeHttp, type ReceivedRequest } from './fake-http.ts';
import { contextOf } from './sending.ts';

export interface GivenAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a message to a service that gives one answer: the request as it came, and the outcome. */
export async function oneRequest(
  make: (baseUrl: string) => Provider,
  message: OutgoingMessage,
  { status, body, headers }: GivenAnswer,
): Promise<{ readonly request: ReceivedRequest; readonly outcome: Outcome }> {
  const fake = await fakeHttp(() => ({ write: answer(status, body, headers), then: 'close' }));
  try {
    const outcome = await make(`http://127.0.0.1:${fake.port}`).send(message, contextOf());
    const [request, ...more] = fake.complete;
    if (request === undefined || more.length > 0) throw new Error(`${fake.complete.length} requests, not one`);
    return { request, outcome };
  } finally {
    await fake.close();
  }
}
