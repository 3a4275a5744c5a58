import { kindOf, notificationId } from '@sendonce/core';
import { EXIT } from '../../command-error.ts';
import { answering } from '../answering.ts';
import { atDesk, type Desk, type DeskFlags } from '../desk.ts';
import { ledgerBlock } from '../which-ledger.ts';
import { whyDelivery } from './why-delivery.ts';
import { whyNotification } from './why-notification.ts';
import { whyRecipient } from './why-recipient.ts';
import type { Why } from './why.ts';

const RECIPIENT = /^recipient:(.*)$/i;

/** Runs `notify why ID`; answers its exit code. @throws SendonceError DELIVERY_NOT_FOUND, LEDGER_UNAVAILABLE */
export function runWhy(id: string, flags: DeskFlags): Promise<number> {
  return atDesk(flags, async (desk) => {
    const address = RECIPIENT.exec(id)?.[1]?.trim();
    const why = address === undefined ? await whyId(desk, id) : await whyRecipient(desk, address);
    const { terminal, isJson, ledger } = desk;
    const json = { ...why.json, ledger: ledger.capabilities.file };
    terminal.out(
      isJson ? `${JSON.stringify(json, null, 2)}\n` : `${[...why.lines, ...ledgerBlock(ledger)].join('\n')}\n`,
    );
    return EXIT.pass;
  });
}

/** What is no id may be the key that a producer gave. */
async function whyId(desk: Desk, id: string): Promise<Why> {
  const byKey = /^[dn]_[\w-]{22}$/.test(id) ? null : await keyed(desk, id);
  if (byKey !== null) return whyNotification(desk, byKey);
  return kindOf(id) === 'notification' ? whyNotification(desk, id) : whyDelivery(desk, id);
}

/** The id of a notification follows from its key, for each type; of the tenant that needs no name. */
async function keyed({ ledger, config }: Desk, key: string): Promise<string | null> {
  const ids = Object.keys(config.notifications).map((type) => notificationId('default', type, key));
  const found = await answering('find a notification', ledger.findNotifications(ids));
  return found.find((record) => record !== null)?.id ?? null;
}
