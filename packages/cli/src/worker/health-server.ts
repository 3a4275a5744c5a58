import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SendonceError } from '@sendonce/core';
import type { CheckUp } from './check-up.ts';
import type { Listening } from './request.ts';

export interface HealthServer {
  /** `http://127.0.0.1:8080`, with the port that was found. */
  readonly url: string;
  close(): Promise<void>;
}

export interface HealthAnswers {
  readonly check: () => Promise<CheckUp>;
  /** What `/status` says beside the check-up. */
  readonly about: () => Readonly<Record<string, unknown>>;
  readonly isStopping: () => boolean;
}

/**
 * Answers `GET /healthz` (200 when the worker does its work, else 503 with the reasons) and `GET /status`.
 * @throws SendonceError FLAG_INVALID when it cannot listen there.
 */
export async function healthServer({ host, port }: Listening, answers: HealthAnswers): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, { error: 'only GET' });
    const page = path === '/healthz' ? healthz : path === '/status' ? status : null;
    if (page === null) return answer(response, 404, { error: 'there are /healthz and /status' });
    void page(answers).then(([code, body]) => answer(response, code, body));
  });
  await listening(server, { host, port });
  const { port: found } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${found}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Page = (answers: HealthAnswers) => Promise<readonly [code: number, body: object]>;

const healthz: Page = async ({ check, isStopping }) => {
  if (isStopping()) return [503, { status: 'stopping', reasons: ['it was asked to stop, and takes nothing new'] }];
  const { healthy, reasons } = await check();
  return healthy ? [200, { status: 'healthy' }] : [503, { status: 'unhealthy', reasons }];
};

const status: Page = async ({ check, about, isStopping }) => {
  const { healthy, reasons, counts } = await check();
  return [200, { ...about(), state: isStopping() ? 'stopping' : 'working', healthy, reasons, ledger: counts }];
};

function answer(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}

function listening(server: Server, { host, port }: Listening): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(
        new SendonceError(
          'FLAG_INVALID',
          code === 'EADDRINUSE'
            ? `--health-port ${port}: another program listens at ${host}:${port}; choose another port, or 0 for a free one`
            : `--health-host ${host} --health-port ${port}: cannot listen there: ${message}`,
        ),
      ),
    );
    server.listen(port, host, () => resolve());
  });
}
