import { hashText } from '../kernel/draw.ts';
import type { Checker, CheckerContext } from './checker.ts';

/**
 * S9: at a provider that takes keys, every attempt of a delivery has the same key and the same body, and none begins or arrives beside
 * an open one when the provider may have forgotten the key. Marks under a declaration are exempt from the window.
 */
export function sameKey(context: CheckerContext): Checker {
  const { attempts } = context;
  const windows = new Map<string, number>();
  for (const { name, keyWindowMs } of context.providers) if (keyWindowMs !== null) windows.set(name, keyWindowMs);
  const firstProvider = context.column('u8');
  const keys = context.column('u32');
  const bodies = context.column('u32');
  /** Of every provider but a delivery's first. */
  const others = new Map<string, { key: number; body: number }>();
  /** Deliveries whose latest mark was declared. */
  const exempt = new Set<number>();

  /** The first value seen for this delivery at this provider, kept from now on. */
  function first(field: 'key' | 'body', slot: number, provider: string, value: number): number {
    const number = attempts.providers.of(provider);
    if (firstProvider.get(slot) === 0) firstProvider.set(slot, number);
    if (firstProvider.get(slot) === number) {
      const column = field === 'key' ? keys : bodies;
      if (column.get(slot) === 0) column.set(slot, value);
      return column.get(slot);
    }
    const id = `${slot} ${number}`;
    const other = others.get(id) ?? { key: 0, body: 0 };
    if (other[field] === 0) other[field] = value;
    others.set(id, other);
    return other[field];
  }

  function isForgotten(at: number, slot: number, provider: string, windowMs: number): boolean {
    return !exempt.has(slot) && at - attempts.firstOpenAt(slot, provider) > windowMs;
  }

  return {
    invariants: ['S9'],
    on: {
      mark({ at, request, verdict }, slot) {
        const windowMs = windows.get(request.provider);
        if (windowMs === undefined || verdict.kind !== 'go') return;
        const report = (message: string): void =>
          context.report({ invariant: 'S9', at, slot, deliveryId: request.id, message });
        if (attempts.declared(slot) !== null) exempt.add(slot);
        else if (exempt.size > 0 && !attempts.isRepeat(slot, request.fence)) exempt.delete(slot);
        const key = hashText(request.key);
        if (first('key', slot, request.provider, key) !== key)
          report(`attempt ${verdict.attempt} has another key than the first one at ${request.provider}`);
        else if (isForgotten(at, slot, request.provider, windowMs))
          report(`attempt ${verdict.attempt} was marked when ${request.provider} had forgotten the key of an open one`);
      },
      provider({ at, provider, key, body, deliveryId, attempt }, slot) {
        const windowMs = windows.get(provider);
        if (windowMs === undefined) return;
        const report = (message: string): void => context.report({ invariant: 'S9', at, slot, deliveryId, message });
        const keyHash = hashText(key);
        const bodyHash = hashText(body);
        if (first('key', slot, provider, keyHash) !== keyHash)
          report(`attempt ${attempt} arrived with another key than the first one at ${provider}`);
        else if (first('body', slot, provider, bodyHash) !== bodyHash)
          report(`attempt ${attempt} arrived with the same key and another body`);
        else if (attempts.count(slot) > 1 && isForgotten(at, slot, provider, windowMs))
          report(`attempt ${attempt} arrived when ${provider} had forgotten the key of an open one`);
      },
    },
  };
}
