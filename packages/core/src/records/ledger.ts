import type { Ledger } from '../ports/ledger.ts';
import { delivering } from './delivering.ts';
import { fanOut } from './fan-out.ts';
import { forgetting } from './forgetting.ts';
import { operators } from './operators.ts';
import { producing } from './producing.ts';
import type { RecordStore } from './store.ts';
import { unknown } from './unknown.ts';

/** What a store of whole records has to write itself: how it lists, and how it closes. */
type StoreOwn =
  'capabilities' | 'find' | 'findNotifications' | 'list' | 'listNotifications' | 'count' | 'history' | 'close';

/** The writing half of a ledger over any store that can run a transaction in this process. */
export function recordLedger(store: RecordStore): Omit<Ledger, StoreOwn> {
  return {
    ...producing(store),
    ...fanOut(store),
    ...delivering(store),
    ...unknown(store),
    ...operators(store),
    ...forgetting(store),
  };
}
