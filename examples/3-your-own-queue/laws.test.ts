import { expect, test } from 'vitest';
import { notify } from '../../packages/cli/test/notify.ts';

const QUEUE = 'examples/3-your-own-queue/fresh-queue.ts';
const MISTAKEN = 'examples/3-your-own-queue/ignores-delays.ts';
const LAW = 'keeps a message that was released with a delay hidden for that long, and no longer';

test.concurrent('a queue in a table keeps every law of the port', async () => {
  const { code, stdout } = await notify(['verify', '--queue', QUEUE]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^queue: 23 kept$/m);
  expect(stdout).toMatch(/^KEPT /m);
});

test.concurrent('a queue that forgets the delay of a release is named by that law, and by no other', async () => {
  const { code, stdout } = await notify(['verify', '--queue', MISTAKEN, '--json']);
  const [{ laws = [] } = {}] = (JSON.parse(stdout) as Report).suites;
  expect(code).toBe(1);
  expect(laws.filter(({ kind }) => kind === 'broken')).toEqual([
    {
      kind: 'broken',
      law: LAW,
      reason: 'a hidden or acked message was handed out',
      expected: '[]',
      seen: expect.stringContaining("id: 'd_a'") as string,
      at: null,
      alone: `npx notify verify --queue ${MISTAKEN} --law '${LAW}'`,
    },
  ]);
});

interface Report {
  readonly suites: readonly { readonly laws: readonly { readonly kind: string }[] }[];
}
