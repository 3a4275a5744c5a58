import type { Clock, OutgoingMessage, Outcome, Provider, ProviderCapabilities, SendContext } from '../../src/index.ts';

export interface ScriptedProvider extends Provider {
  readonly sent: readonly { readonly message: OutgoingMessage; readonly context: SendContext; readonly at: number }[];
}

/** A provider that does as it is told, heeds no abort signal and keeps no mailbox. `nth` counts all its requests. */
export function scripted(
  clock: Clock,
  send: (nth: number, message: OutgoingMessage, context: SendContext) => Promise<Outcome>,
  capabilities: Partial<ProviderCapabilities> = {},
): ScriptedProvider {
  const sent: { message: OutgoingMessage; context: SendContext; at: number }[] = [];
  return {
    name: 'p0',
    capabilities: {
      idempotency: { kind: 'none' },
      lookup: 'none',
      correlation: 'none',
      coalesce: false,
      ...capabilities,
    },
    sent,
    send(message, context) {
      sent.push({ message, context, at: clock.now() });
      return send(sent.length, message, context);
    },
    async close() {},
  };
}
