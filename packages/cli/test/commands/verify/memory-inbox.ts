import { memoryInbox } from '@sendonce/adapters/inboxes/memory';

export default function make() {
  let now = Date.UTC(2026, 0, 1);
  const elapse = (ms: number): Promise<void> => Promise.resolve(void (now += ms));
  return { inbox: memoryInbox({ pollMs: 20, now: () => now }), elapse };
}
