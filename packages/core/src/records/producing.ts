import { afterSeal, newNotification, seal as sealStep } from '../model/steps/notification.ts';
import type { AcceptVerdict, Ledger, NewNotification, SealRequest, SealVerdict } from '../ports/ledger.ts';
import { enter } from './reckoning.ts';
import type { Records, RecordStore } from './store.ts';

export function producing(store: RecordStore): Pick<Ledger, 'accept' | 'seal'> {
  return {
    accept: (batch, options) =>
      store.transact(
        (records) => {
          const now = enter(records);
          return batch.map((each) => accept(records, each, now));
        },
        { join: options?.transaction },
      ),
    seal: (batch) =>
      store.transact((records) => {
        const now = enter(records);
        return batch.map((each) => seal(records, each, now));
      }),
  };
}

function accept({ notifications }: Records, from: NewNotification, now: number): AcceptVerdict {
  const known = notifications.get(from.id);
  if (known !== undefined) {
    const isSame = known.record.fingerprint === from.fingerprint;
    return { kind: isSame ? 'repeated' : 'conflict', record: known.record };
  }
  const entry = notifications.insert(newNotification(from, now));
  if (from.page !== null) notifications.storePage(entry, 0, from.page);
  return { kind: 'accepted', record: entry.record };
}

function seal({ notifications, epochs }: Records, request: SealRequest, now: number): SealVerdict {
  const entry = notifications.get(request.notificationId);
  if (entry === undefined) return { kind: 'absent' };
  const { record } = entry;
  const step = sealStep(record, request, epochs.quarantineMs(now) === 0);
  switch (step) {
    case 'cancelled':
    case 'fenced':
      return { kind: step };
    case 'sealed':
      return { kind: 'sealed', record, same: notifications.hasPage(entry, request.page, request.targets) };
    case 'store': {
      const stored = notifications.storePage(entry, request.page, request.targets);
      notifications.update(entry, afterSeal(record, request, stored, now));
      return { kind: 'stored', record: entry.record };
    }
  }
}
