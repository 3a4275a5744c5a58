import { kindOf, notificationId, SendonceError, type NotificationRecord } from '@sendonce/core';
import { grouped } from '../../flags/parse-values.ts';
import { flagWords, quoted } from '../../simulate/again.ts';
import { wordsLine } from '../../progress-line.ts';
import { answering } from '../answering.ts';
import type { Desk } from '../desk.ts';
import { missing } from '../find-record.ts';
import { isUnreadable, unreadable } from '../unreadable.ts';
import { notificationPages } from '../pages.ts';
import { absolute, columns, plural, relative } from '../words.ts';
import type { Why } from './why.ts';

/** As many are told of; whoever has more names the tenant, or one by its id. */
const MOST = 20;

/** The notifications that producers gave this key, of whatever type and tenant; at most twenty. */
export async function byKey(desk: Desk, key: string, tenant: string | null): Promise<readonly NotificationRecord[]> {
  const known = await named(desk, key, tenant ?? 'default');
  return known.length > 0 || tenant !== null ? known : searched(desk, key);
}

async function named({ ledger, config }: Desk, key: string, tenant: string): Promise<readonly NotificationRecord[]> {
  const found = await answering('find a notification', ledger.findNotifications(idsOf(config, key, tenant)));
  return found.filter((record) => record !== null);
}

/** The id of a notification follows from its tenant, type and key. */
function idsOf({ notifications }: Desk['config'], key: string, tenant: string): string[] {
  return Object.keys(notifications).map((type) => notificationId(tenant, type, key));
}

/** No port lists tenants, nor types that the config does not have any more; on a large ledger this takes a while, and says so. */
async function searched({ ledger, terminal }: Desk, key: string): Promise<readonly NotificationRecord[]> {
  const found: NotificationRecord[] = [];
  const line = wordsLine(terminal);
  const begun = performance.now();
  let read = 0;
  for await (const { items } of notificationPages(ledger)) {
    found.push(...items.filter((record) => record.key === key));
    if (found.length >= MOST) break;
    read += items.length;
    line.tell(
      performance.now() - begun,
      () => `Not of tenant default: ${grouped(read)} notifications of all tenants read; --tenant NAME finds it at once`,
    );
  }
  line.clear();
  return found.slice(0, MOST);
}

/** @throws SendonceError LEDGER_CORRUPT where it is there and cannot be read, else DELIVERY_NOT_FOUND; always */
export async function noSuchKey({ ledger, config, command }: Desk, key: string, tenant: string | null): Promise<never> {
  // Whoever cut an id when it was copied means no key.
  if (/^[dn]_/.test(key)) return missing(ledger, kindOf(key), key);
  for (const id of idsOf(config, key, tenant ?? 'default'))
    if (await isUnreadable(ledger, id)) throw unreadable(ledger, `${JSON.stringify(key)}, notification`, id);
  const { file } = ledger.capabilities;
  const where = `${tenant === null ? '' : ` of tenant ${JSON.stringify(tenant)}`} in this ledger${file === null ? '' : ` (${file})`}`;
  const asRecipient = command(
    `why ${quoted(`recipient:${key}`)}${tenant === null ? '' : ` ${flagWords('tenant', tenant)}`}`,
  );
  throw new SendonceError(
    'DELIVERY_NOT_FOUND',
    `${JSON.stringify(key)} is no id (they begin with d_ or n_, and are whole), and no notification${where} has it for its key. Where it is a recipient's address or id: ${asRecipient}. Else see that --config names the right ledger`,
  );
}

/** Several types or tenants may use the same key. */
export function severalByKey(
  { masks, now, terminal, command }: Desk,
  key: string,
  found: readonly NotificationRecord[],
): Why {
  const shown = JSON.stringify(masks.text(key));
  return {
    lines: [
      `${terminal.paint.bold('KEY')}  ${shown} is that of ${plural(found.length, 'notification')}`,
      '',
      ...columns(
        found.map(({ id, state, type, tenant, acceptedAt }) => [
          `  ${id}`,
          state,
          relative(acceptedAt, now()),
          type,
          `tenant ${tenant}`,
        ]),
      ),
      '',
      `  One of them: ${command(`why ${found[0]?.id ?? 'n_...'}`)}`,
    ],
    json: {
      schema: 'sendonce.why/1',
      kind: 'key',
      key: masks.text(key),
      notifications: found.map(({ id, state, type, tenant, acceptedAt }) => ({
        id,
        state,
        type,
        tenant,
        acceptedAt: absolute(acceptedAt),
      })),
    },
  };
}
