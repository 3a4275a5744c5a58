import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commandsOf, shellIn, shownAfter } from './shell.ts';

const folder = mkdtempSync(join(tmpdir(), 'practise-'));
const { shell, close } = shellIn(folder);
afterAll(close);

const PAGE = 'docs/how-to/practise-a-replay.md';
const [REFUSING, SEND, WORKER, LIST, MAILBOX, DRY, REPLAY, WORKER_AGAIN, WHY] = commandsOf(PAGE);
const shown = (command = ''): RegExp => shownAfter(PAGE, command) ?? /the page shows nothing of it/;

test('the page about practising makes a dead letter, and ends with the mail in the mailbox', async () => {
  const refusing = shell(REFUSING);
  const [, port = ''] = await refusing.line(/^Listening at 127\.0\.0\.1:(\d+)/m);
  expect((await shell(SEND, port).ended).code).toBe(0);
  const worker = shell(WORKER, port);
  await refusing.line(/^refused: you@example\.com$/m);
  worker.child.kill('SIGINT');
  expect((await worker.ended).out).toMatch(shown(WORKER));
  expect((await shell(LIST, port).ended).out).toMatch(shown(LIST));
  expect(existsSync(join(folder, 'mail/you@example.com.eml'))).toBe(false);

  refusing.child.kill('SIGINT');
  await refusing.ended;
  const mailbox = shell(MAILBOX);
  const [, again = ''] = await mailbox.line(/^Listening at 127\.0\.0\.1:(\d+)/m);
  expect((await shell(DRY, again).ended).out).toMatch(shown(DRY));
  const replay = await shell(REPLAY, again).ended;
  expect(replay).toMatchObject({
    code: 0,
    out: expect.stringMatching(shown(REPLAY)) as string,
  });
  const second = shell(WORKER_AGAIN, again);
  await mailbox.line(/^mail 1: to you@example\.com$/m);
  second.child.kill('SIGINT');
  expect((await second.ended).out).toContain('1 sent');
  expect(existsSync(join(folder, 'mail/you@example.com.eml'))).toBe(true);
  expect((await shell(WHY, again).ended).out).toMatch(shown(WHY));
});
