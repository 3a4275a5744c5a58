import { kindOf } from '@sendonce/core';
import { EXIT } from '../../command-error.ts';
import { atDesk, type DeskFlags } from '../desk.ts';
import { whyDelivery } from './why-delivery.ts';
import { whyNotification } from './why-notification.ts';
import { whyRecipient } from './why-recipient.ts';

const RECIPIENT = /^recipient:(.*)$/i;

/** Runs `notify why ID`; answers its exit code. @throws SendonceError DELIVERY_NOT_FOUND */
export function runWhy(id: string, flags: DeskFlags): Promise<number> {
  return atDesk(flags, async (desk) => {
    const address = RECIPIENT.exec(id)?.[1]?.trim();
    const why =
      address !== undefined
        ? await whyRecipient(desk, address)
        : kindOf(id) === 'notification'
          ? await whyNotification(desk, id)
          : await whyDelivery(desk, id);
    const { terminal, isJson } = desk;
    terminal.out(isJson ? `${JSON.stringify(why.json, null, 2)}\n` : `${why.lines.join('\n')}\n`);
    return EXIT.pass;
  });
}
