import { blockScopes } from '../../records/block-scopes.ts';
import type { Gates } from '../../records/store.ts';
import type { Undo } from './undo.ts';

export function gates(undo: Undo): Gates {
  const suppressed = new Set<string>();
  const blocked = new Map<string, number>();

  function has(tenant: string, recipientId: string, topic: string, channel: string): boolean {
    return suppressed.has(suppressionKey(tenant, recipientId, topic, channel));
  }

  return {
    suppress(request) {
      const key = suppressionKey(request.tenant, request.recipientId, request.topic, request.channel);
      const before = suppressed.has(key);
      if (request.suppressed) suppressed.add(key);
      else suppressed.delete(key);
      undo.note(() => void (before ? suppressed.add(key) : suppressed.delete(key)));
    },
    isSuppressed({ tenant, topic, target: { recipientId, channel } }) {
      if (topic === null || suppressed.size === 0) return false;
      return (
        has(tenant, recipientId, topic, channel) ||
        has(tenant, recipientId, topic, '*') ||
        has(tenant, recipientId, '*', channel) ||
        has(tenant, recipientId, '*', '*')
      );
    },
    block({ scope, blocked: isBlocked, recheckMs }) {
      const before = blocked.get(scope);
      if (isBlocked) blocked.set(scope, recheckMs);
      else blocked.delete(scope);
      undo.note(() => void (before === undefined ? blocked.delete(scope) : blocked.set(scope, before)));
    },
    blockOn(record) {
      if (blocked.size === 0) return null;
      for (const scope of blockScopes(record)) {
        const recheckMs = blocked.get(scope);
        if (recheckMs !== undefined) return { scope, recheckMs };
      }
      return null;
    },
  };
}

function suppressionKey(tenant: string, recipientId: string, topic: string, channel: string): string {
  return JSON.stringify([tenant, recipientId, topic, channel]);
}
