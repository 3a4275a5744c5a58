import type { Ledger, Provider, Queue } from '@sendonce/core';
import type { Gate } from './gate.ts';

/** The ledger, each of whose calls may be stopped at the points that plans know. */
export function gatedLedger(ledger: Ledger, gate: Gate): Ledger {
  return {
    capabilities: ledger.capabilities,
    accept: (batch, options) => ledger.accept(batch, options),
    seal: (batch) => gate.pass('ledger.seal', { args: batch, make: (args) => ledger.seal(args) }),
    claimNotifications: (selector, lease) =>
      gate.pass('ledger.claimNotifications', {
        args: { selector, lease },
        make: (args) => ledger.claimNotifications(args.selector, args.lease),
      }),
    add: (batch) => gate.pass('ledger.add', { args: batch, make: (args) => ledger.add(args) }),
    claim: (selector, lease) =>
      gate.pass('ledger.claim', { args: { selector, lease }, make: (args) => ledger.claim(args.selector, args.lease) }),
    renew: (batch, leaseMs) =>
      gate.pass('ledger.renew', { args: { batch, leaseMs }, make: (args) => ledger.renew(args.batch, args.leaseMs) }),
    release: (batch) => gate.pass('ledger.release', { args: batch, make: (args) => ledger.release(args) }),
    mark: (batch) => gate.pass('ledger.mark', { args: batch, make: (args) => ledger.mark(args) }),
    settle: (batch) => gate.pass('ledger.settle', { args: batch, make: (args) => ledger.settle(args) }),
    sweep: (request) => gate.pass('ledger.sweep', { args: request, make: (args) => ledger.sweep(args) }),
    reconcile: (batch) => gate.pass('ledger.reconcile', { args: batch, make: (args) => ledger.reconcile(args) }),
    record: (batch) => ledger.record(batch),
    cancel: (batch) => ledger.cancel(batch),
    suppress: (batch) => ledger.suppress(batch),
    block: (batch) => ledger.block(batch),
    replay: (batch) => ledger.replay(batch),
    forget: (batch) => ledger.forget(batch),
    find: (ids) => ledger.find(ids),
    findNotifications: (ids) => ledger.findNotifications(ids),
    list: (filter, page) => ledger.list(filter, page),
    listNotifications: (filter, page) => ledger.listNotifications(filter, page),
    count: () => ledger.count(),
    history: (id) => ledger.history(id),
    close: () => ledger.close(),
  };
}

export function gatedQueue(queue: Queue, gate: Gate): Queue {
  return {
    capabilities: queue.capabilities,
    enqueue: (batch, options) =>
      gate.pass('queue.enqueue', { args: { batch }, make: (args) => queue.enqueue(args.batch, options) }),
    receive: (options) => gate.pass('queue.receive', { args: options, make: (args) => queue.receive(args) }),
    ack: (batch) => gate.pass('queue.ack', { args: { batch }, make: (args) => queue.ack(args.batch) }),
    release: (batch, options) =>
      gate.pass('queue.release', { args: { batch }, make: (args) => queue.release(args.batch, options) }),
    extend: (batch, options) =>
      gate.pass('queue.extend', { args: { batch }, make: (args) => queue.extend(args.batch, options) }),
    depth: () => queue.depth(),
    close: () => queue.close(),
  };
}

export function gatedProvider(provider: Provider, gate: Gate): Provider {
  const { name, capabilities } = provider;
  const { lookup } = capabilities;
  return {
    name,
    capabilities: {
      ...capabilities,
      lookup:
        lookup === 'none'
          ? 'none'
          : {
              ...lookup,
              find: (request, options) =>
                gate.pass('provider.lookup', {
                  args: { request },
                  provider: name,
                  make: (args) => lookup.find(args.request, options),
                }),
            },
    },
    send: (message, context) =>
      gate.pass('provider.send', {
        args: { message },
        provider: name,
        make: (args) => provider.send(args.message, context),
      }),
    close: () => provider.close(),
  };
}
