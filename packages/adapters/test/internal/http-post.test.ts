import { expect, test } from 'vitest';
import { deadlineOf } from '../../src/internal/deadline.ts';
import { get, post } from '../../src/internal/http/post.ts';
import { answer, fakeHttp } from '../providers/support/fake-http.ts';

const limits = () => ({
  deadline: deadlineOf({ deadlineMs: 10_000, signal: new AbortController().signal }),
  timeoutMs: 10_000,
  bodyMs: 1_000,
});

test.each([
  ['a line break', 'key\n'],
  ['a letter beyond a byte', 'ключ'],
])('a request with %s in a header is not sent, and nothing is thrown', async (_what, authorization) => {
  const fake = await fakeHttp(() => ({ write: answer(200), then: 'close' }));
  const call = { url: new URL(`http://127.0.0.1:${fake.port}/`), headers: { authorization } };
  const reason = expect.stringContaining('cannot be made') as string;
  expect(await post({ ...call, body: '{}' }, limits())).toEqual({ kind: 'not-sent', reason });
  expect(await get(call, limits())).toEqual({ kind: 'not-sent', reason });
  expect(fake.complete).toEqual([]);
  await fake.close();
});

test('a GET has no body and says of none how long it is', async () => {
  const fake = await fakeHttp(() => ({ write: answer(200, 'x'), then: 'close' }));
  const call = { url: new URL(`http://127.0.0.1:${fake.port}/a?b=1`), headers: {} };
  expect(await get(call, limits())).toMatchObject({ kind: 'answered', status: 200, body: 'x' });
  expect(fake.complete).toMatchObject([{ line: 'GET /a?b=1 HTTP/1.1', body: '' }]);
  expect(fake.complete[0]?.headers).not.toHaveProperty('content-length');
  await fake.close();
});
