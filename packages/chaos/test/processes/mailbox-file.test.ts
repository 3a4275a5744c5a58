import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { mailboxBytes, openMailbox, readMailbox, type MailboxLine } from '../../src/processes/mailbox-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailbox-'));
afterAll(() => rmSync(folder, { recursive: true }));

function line(n: number): MailboxLine {
  return {
    n,
    at: n,
    provider: 'p0',
    channel: 'email',
    id: 'p0-m1',
    deliveryId: `d_${n}`,
    to: `${n}@x.example`,
    key: 'k',
    attempt: 1,
    body: 'b',
    worker: 'w1',
  };
}

describe('the mailbox of a real run', () => {
  test('that somebody removed blames no sender', async () => {
    const path = join(folder, 'removed');
    await expect(readMailbox(path)).rejects.toMatchObject({ code: 'HARNESS_FAILED' });
    expect(() => mailboxBytes(path)).toThrow(expect.objectContaining({ code: 'HARNESS_FAILED' }) as Error);
  });

  test('has a line on the disk before append resolves, in the order of the calls', async () => {
    const path = join(folder, 'order');
    const mailbox = await openMailbox(path);
    const lines = Array.from({ length: 50 }, (_, n) => line(n + 1));
    await Promise.all(
      lines.map(async (each) => {
        await mailbox.append(each);
        expect(readFileSync(path, 'utf8')).toContain(`"n":${each.n},`);
      }),
    );
    await mailbox.close();
    expect(await readMailbox(path)).toEqual(lines);
  });

  test('goes on where another process left off', async () => {
    const path = join(folder, 'again');
    for (const n of [1, 2]) {
      const mailbox = await openMailbox(path);
      await mailbox.append(line(n));
      await mailbox.close();
    }
    expect((await readMailbox(path)).map(({ n }) => n)).toEqual([1, 2]);
  });

  test('counts no line that a death cut short: nobody was told that it was accepted', async () => {
    const path = join(folder, 'torn');
    const mailbox = await openMailbox(path);
    await mailbox.append(line(1));
    await mailbox.close();
    appendFileSync(path, '{"n":2,"at":');
    expect((await readMailbox(path)).map(({ n }) => n)).toEqual([1]);
  });
});
