/** The provider after `current` in the order of preference, round and round; `current` itself where it is the only one. */
export function nextProvider(order: readonly string[], current: string): string {
  const at = order.indexOf(current);
  return order[(at + 1) % order.length] ?? current;
}
