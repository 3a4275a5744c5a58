import type { Ledger } from '@sendonce/core';
import type { Life } from '../kernel/process.ts';
import type { Wire } from '../kernel/wire.ts';
import type { LedgerSites } from './ledger-sites.ts';
import type { Registry } from './registry.ts';

/** The Ledger port in the hands of one start of a process. */
export function ledgerPort(wire: Wire, life: Life, sites: LedgerSites, registry: Registry): Ledger {
  return {
    capabilities: { shared: true, durable: true, transactions: false, file: null },
    accept: (batch, options) => wire.call(life, sites.accept, { batch, options }),
    seal: (batch) => wire.call(life, sites.seal, batch),
    claimNotifications: (selector, lease) => wire.call(life, sites.claimNotifications, { selector, lease }),
    add(batch) {
      // Before it is applied, so that a fault may be addressed at one of its recipients.
      for (const request of batch) registry.learn(request);
      return wire.call(life, sites.add, batch);
    },
    claim: (selector, lease) => wire.call(life, sites.claim, { selector, lease }),
    renew: (batch, leaseMs) => wire.call(life, sites.renew, { batch, leaseMs }),
    release: (batch) => wire.call(life, sites.release, batch),
    mark: (batch) => wire.call(life, sites.mark, batch),
    settle: (batch) => wire.call(life, sites.settle, batch),
    sweep: (request) => wire.call(life, sites.sweep, request),
    reconcile: (batch) => wire.call(life, sites.reconcile, batch),
    record: (batch) => wire.call(life, sites.record, batch),
    cancel: (batch) => wire.call(life, sites.cancel, batch),
    suppress: (batch) => wire.call(life, sites.suppress, batch),
    block: (batch) => wire.call(life, sites.block, batch),
    replay: (batch) => wire.call(life, sites.replay, batch),
    forget: (batch) => wire.call(life, sites.forget, batch),
    find: (ids) => wire.call(life, sites.find, ids),
    findNotifications: (ids) => wire.call(life, sites.findNotifications, ids),
    list: (filter, page) => wire.call(life, sites.list, { filter, page }),
    listNotifications: (filter, page) => wire.call(life, sites.listNotifications, { filter, page }),
    count: () => wire.call(life, sites.count, null),
    history: (id) => wire.call(life, sites.history, id),
    close: () => Promise.resolve(),
  };
}
