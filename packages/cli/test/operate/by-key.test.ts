import type { Ledger, NotificationRecord } from '@sendonce/core';
import { expect, test, vi } from 'vitest';
import type { Desk } from '../../src/operate/desk.ts';
import { byKey } from '../../src/operate/why/by-key.ts';

test('a search through all tenants says after a second that it is one, and what spares it', async () => {
  const told: string[] = [];
  let pages = 0;
  const ledger = {
    findNotifications: (ids: readonly string[]) => Promise.resolve(ids.map(() => null)),
    listNotifications: () => {
      pages += 1;
      const key = pages === 3 ? 'k' : 'another';
      const items = [{ key } as NotificationRecord];
      return Promise.resolve({ items, cursor: pages === 3 ? null : `${pages}` });
    },
  } as unknown as Ledger;
  const terminal = { watched: false, err: (text: string) => void told.push(text) };
  const desk = { ledger, terminal, config: { notifications: { news: {} } } } as unknown as Desk;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => pages * 600);
  try {
    expect(await byKey(desk, 'k', null)).toEqual([{ key: 'k' }]);
  } finally {
    clock.mockRestore();
  }
  expect(told).toEqual([
    'Not of tenant default: 2 notifications of all tenants read; --tenant NAME finds it at once\n',
  ]);
});
