import { expect, test, vi } from 'vitest';

test('the example of the README accepts once and sends to both contacts', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import('./main.ts');
  expect(log.mock.calls.flat()).toEqual([
    'accepted',
    'repeated',
    ['ann@example.com: Order o-17', 'bob@example.com: Order o-17'],
  ]);
  log.mockRestore();
});
