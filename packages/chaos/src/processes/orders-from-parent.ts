/**
 * The one message that a child process is started with. From now on it ends when its parent does, and leaves Ctrl-C and the end of a
 * terminal, which everybody in it hears of, to the parent. `orphaned`: what is to be done before that end.
 */
export function ordersFromParent<Orders>(orphaned: () => Promise<void> = () => Promise.resolve()): Promise<Orders> {
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.once('disconnect', () => void orphaned().finally(() => process.exit(1)));
  return new Promise((resolve) => process.once('message', (orders) => resolve(orders as Orders)));
}
