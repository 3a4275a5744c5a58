import { expect, test, vi } from 'vitest';

test('the example of the tutorial fails over to the second provider and tells the story', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import('./send.ts');
  const lines = log.mock.calls.map((args) => args.map(String).join(' '));
  expect(lines.slice(0, 2)).toEqual([
    expect.stringMatching(/^DATA_INVALID: .*contacts/),
    expect.stringMatching(/^NOTIFICATION_CONFLICT: \(default, orderPlaced, o-17\)/),
  ]);
  expect(lines.slice(2)).toEqual([
    'new -> queued',
    'queued -> processing',
    'processing -> dispatching',
    'dispatching -> retry-scheduled  (connection refused)',
    'retry-scheduled -> processing  (connection refused)',
    'processing -> dispatching  (connection refused)',
    'dispatching -> sent',
    'by second-1',
  ]);
  log.mockRestore();
});
