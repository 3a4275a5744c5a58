import { CHANNELS, toTarget, type DeliveryRecord } from '@sendonce/core';
import { addressRules } from '@sendonce/core/internal';
import type { Desk } from '../desk.ts';
import { flagError } from '../../flags/flag-error.ts';
import { letterJson } from '../letter-json.ts';
import { pages } from '../pages.ts';
import { grouped } from '../../flags/parse-values.ts';
import type { Why } from './why.ts';
import { MOST_SHORT, shortLines } from './short.ts';

/** The latest deliveries of one recipient, by the id they were given, else by any way to write their address. */
export async function whyRecipient(desk: Desk, address: string, tenant: string | null): Promise<Why> {
  if (address === '')
    throw flagError('id', 'recipient:', 'recipient: and an address or id, such as recipient:ann@example.com');
  const { masks, terminal } = desk;
  const rules = addressRules(desk.config);
  const forms = CHANNELS.map((channel) => toTarget({ channel, to: address }, rules).recipientId);
  const ids = [...new Set([address, ...forms])];
  let count = 0;
  let latest: readonly DeliveryRecord[] = [];
  for (const recipientId of ids)
    for await (const { items } of pages(desk.ledger, { recipientId, ...(tenant === null ? {} : { tenant }) })) {
      count += items.length;
      latest = [...latest, ...items].sort((a, b) => b.createdAt - a.createdAt).slice(0, MOST_SHORT);
    }
  const name = latest[0] === undefined ? masks.address(address) : masks.recipient(latest[0].target);
  const more = count > latest.length ? `, the latest ${latest.length} of ${grouped(count)}` : '';
  return {
    lines:
      count === 0
        ? [`No delivery of ${name} in this ledger.`]
        : [
            `${terminal.paint.bold('RECIPIENT')}  ${name}${more}`,
            '',
            ...shortLines(latest, desk),
            '',
            `  One of them: ${desk.command(`why ${latest[0]?.id ?? 'd_...'}`)}`,
          ],
    json: {
      schema: 'sendonce.why/1',
      kind: 'recipient',
      recipientId: name,
      count,
      deliveries: latest.map((each) => letterJson(each, masks)),
    },
  };
}
