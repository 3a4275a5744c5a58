import { kindOf, SendonceError } from '@sendonce/core';
import { EXIT } from '../../command-error.ts';
import { atDesk, type Desk } from '../desk.ts';
import type { DeskFlags } from '../flags.ts';
import { ledgerBlock } from '../which-ledger.ts';
import { byKey, noSuchKey, severalByKey } from './by-key.ts';
import { whyDelivery } from './why-delivery.ts';
import { whyNotification } from './why-notification.ts';
import { whyRecipient } from './why-recipient.ts';
import type { Why } from './why.ts';

const RECIPIENT = /^recipient:(.*)$/i;
const ID = /^[dn]_[\w-]{22}$/;

export interface WhyFlags extends DeskFlags {
  readonly tenant?: string | undefined;
}

/** Runs `notify why ID`; answers its exit code. @throws SendonceError DELIVERY_NOT_FOUND, FLAG_INVALID, LEDGER_UNAVAILABLE */
export function runWhy(id: string, flags: WhyFlags): Promise<number> {
  const tenant = flags.tenant?.trim() ?? null;
  if (tenant !== null && ID.test(id))
    throw new SendonceError('FLAG_INVALID', `--tenant is for a key or a recipient: the id ${id} says all by itself`);
  return atDesk(flags, async (desk) => {
    const address = RECIPIENT.exec(id)?.[1]?.trim();
    const why = address === undefined ? await whyId(desk, id, tenant) : await whyRecipient(desk, address, tenant);
    const { terminal, isJson, ledger } = desk;
    const json = { ...why.json, ledger: ledger.capabilities.file };
    terminal.out(
      isJson ? `${JSON.stringify(json, null, 2)}\n` : `${[...why.lines, ...ledgerBlock(ledger)].join('\n')}\n`,
    );
    return EXIT.pass;
  });
}

/** What is no id may be the key that a producer gave. */
async function whyId(desk: Desk, id: string, tenant: string | null): Promise<Why> {
  if (ID.test(id)) return kindOf(id) === 'notification' ? whyNotification(desk, id) : whyDelivery(desk, id);
  const found = await byKey(desk, id, tenant);
  const [first] = found;
  if (first === undefined) return noSuchKey(desk, id, tenant);
  return found.length === 1 ? whyNotification(desk, first.id) : severalByKey(desk, id, found);
}
