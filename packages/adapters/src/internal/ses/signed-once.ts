import { whenOver } from '../deadline.ts';
import { problemOf } from '../open-socket.ts';
import { post, type HttpAnswer, type HttpLimits, type HttpPost, type HttpResult } from '../http/post.ts';

/** What we use of a client of the AWS SDK. */
export interface SdkClient<Command> {
  send(command: Command, options: object): Promise<unknown>;
  destroy(): void;
}

/** A request as the SDK hands it over, signed. */
export interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Handed {
  readonly response: { readonly statusCode: number; readonly headers: Record<string, string>; readonly body: Buffer };
}

interface SendOptions {
  readonly exchange: (request: SignedRequest) => Promise<Handed>;
}

/**
 * What every client is made with: the SDK makes and signs a request and reads an answer, and between the two it hands the request to
 * whoever called `send`. Its retries are off, whatever the environment says.
 */
export const ONE_REQUEST: {
  readonly maxAttempts: 1;
  readonly requestHandler: { handle(request: SignedRequest, options?: object): Promise<Handed> };
} = {
  maxAttempts: 1,
  requestHandler: { handle: (request, options) => (options as SendOptions).exchange(request) },
};

/**
 * Lets a client sign a command, and sends the request once, as `post` does. Whatever fails before there is a request (no credentials, no
 * region, no time left to find them) is `not-sent`; a client that hands over a second request gets none.
 */
export function signedOnce<Command>(
  client: SdkClient<Command>,
  command: Command,
  limits: HttpLimits,
): Promise<HttpResult> {
  const { deadline, timeoutMs } = limits;
  const endsAt = performance.now() + timeoutMs;
  return new Promise((resolve) => {
    let isSigning = true;
    const notSent = (reason: string): void => {
      if (!isSigning) return;
      isSigning = false;
      stop();
      resolve({ kind: 'not-sent', reason });
    };
    const stop = whenOver(Math.min(timeoutMs, deadline.startMs()), deadline.signal, () =>
      notSent('the request was not signed before the time was up'),
    );
    const exchange: SendOptions['exchange'] = async (request) => {
      if (!isSigning) throw new Error('one request per attempt, and none after its time');
      isSigning = false;
      stop();
      const result = await post(callOf(request), { ...limits, timeoutMs: endsAt - performance.now() });
      resolve(result);
      if (result.kind !== 'answered') throw new Error(result.reason);
      return { response: responseOf(result) };
    };
    client.send(command, { exchange }).then(
      () => notSent('the client made no request'),
      (error: unknown) => notSent(`the request could not be made and signed (${nameOf(error)})`),
    );
  });
}

function callOf({ protocol, hostname, port, path, headers, body }: SignedRequest): HttpPost {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  return { url, headers, body: typeof body === 'string' ? body : bytesOf(body as Uint8Array) };
}

/** The same bytes, without a look at the object: some of the SDK's are texts as well, and complain when they are taken for one. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The SDK reads the time of the service from it, for its next signature. */
function responseOf({ status, headers, body }: HttpAnswer): Handed['response'] {
  const flat = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { statusCode: status, headers: Object.fromEntries(flat), body: Buffer.from(body ?? '') };
}

function nameOf(error: unknown): string {
  const { name, message } = error as Error;
  // The SDK's words, where no profile names one.
  if (message === 'Region is missing')
    return "no region: give the option region, such as 'eu-west-1', set AWS_REGION, or name it in the profile";
  return name === 'Error' ? problemOf(error) : `${name}: ${message}`;
}
