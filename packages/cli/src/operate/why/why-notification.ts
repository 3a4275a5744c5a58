import { isDeadLetter, type DeliveryRecord, type DeliveryState, type NotificationRecord } from '@sendonce/core';
import { grouped } from '../../flags/parse-values.ts';
import type { Desk } from '../desk.ts';
import { findNotification } from '../find-record.ts';
import { letterJson } from '../letter-json.ts';
import { pages } from '../pages.ts';
import { countLines } from '../replay/plan-words.ts';
import { Tally, type CountOf } from '../tally.ts';
import { absolute, block, plural, when } from '../words.ts';
import type { NextStep } from './next-step.ts';
import type { Why } from './why.ts';
import { MOST_SHORT, shortLines } from './short.ts';

/** A notification, and its deliveries in short: those that need a look first. */
export async function whyNotification(desk: Desk, id: string): Promise<Why> {
  const { ledger, masks, terminal, now } = desk;
  const record = await findNotification(ledger, id);
  const { counts, shown } = await deliveriesOf(desk, id);
  const { text, command } = nextOf(record, shown, now());
  const next: NextStep = { text, command: command === null ? null : desk.command(command) };
  const open = counts.filter(({ name }) => isDeadLetter(name as DeliveryState));
  const gaveUp = open.map(({ count, name }) => `, ${grouped(count)} ${name}`).join('');
  return {
    lines: [
      `${terminal.paint.bold(record.state.toUpperCase())}${terminal.paint.yellow(gaveUp)}  ${id}: ${record.type}${record.tenant === 'default' ? '' : ` of tenant ${record.tenant}`}, key ${JSON.stringify(masks.text(record.key))}`,
      '',
      ...block('accepted', [when(record.acceptedAt, now())]),
      ...block('send at', record.sendAt === null ? [] : [when(record.sendAt, now())]),
      ...block('expires', record.expiresAt === null ? [] : [when(record.expiresAt, now())]),
      ...block('archived', record.forgottenAt === undefined ? [] : [when(record.forgottenAt, now())]),
      ...block('reason', record.reason === null ? [] : [masks.text(record.reason)]),
      ...block('targets', [
        `${plural(record.targets, 'target')}, ${plural(record.deliveries, 'delivery', 'deliveries')} made`,
      ]),
      ...block('states', countLines(counts, counts.length)),
      '',
      ...shortLines(shown, desk),
      ...block('next', [next.text, ...(next.command === null ? [] : [next.command])]),
    ],
    json: {
      schema: 'sendonce.why/1',
      kind: 'notification',
      id,
      tenant: record.tenant,
      type: record.type,
      class: record.class,
      key: masks.text(record.key),
      state: record.state,
      reason: record.reason === null ? null : masks.text(record.reason),
      acceptedAt: absolute(record.acceptedAt),
      forgottenAt: record.forgottenAt === undefined ? null : absolute(record.forgottenAt),
      sealed: record.sealed,
      states: counts,
      deliveries: shown.map((each) => letterJson(each, masks)),
      next,
    },
  };
}

/** How soon a person wants to see one. */
const FIRST: readonly string[] = ['parked', 'dead', 'failed', 'unknown', 'retry-scheduled', 'bounced', 'undeliverable'];

async function deliveriesOf(
  { ledger }: Desk,
  notificationId: string,
): Promise<{ readonly counts: readonly CountOf[]; readonly shown: readonly DeliveryRecord[] }> {
  const states = new Tally();
  let shown: readonly DeliveryRecord[] = [];
  for await (const { items } of pages(ledger, { notificationId })) {
    for (const { state, replacedBy } of items) states.add(replacedBy === null ? state : `${state}, sent again`);
    shown = [...shown, ...items].sort((a, b) => rank(a) - rank(b)).slice(0, MOST_SHORT);
  }
  return { counts: states.counts, shown };
}

function rank({ state, replacedBy }: DeliveryRecord): number {
  const at = FIRST.indexOf(state);
  return at < 0 || replacedBy !== null ? FIRST.length : at;
}

function nextOf(record: NotificationRecord, shown: readonly DeliveryRecord[], now: number): NextStep {
  if (record.forgottenAt !== undefined)
    return {
      text: 'nothing: it was archived and forgotten; its data and deliveries are in the archive of then',
      command: null,
    };
  const letters = shown.filter(({ state, replacedBy }) => isDeadLetter(state) && replacedBy === null);
  const [first] = letters;
  if (record.state !== 'done' || first === undefined) return { text: nextWords(record, now), command: null };
  const whose = letters.length === 1 ? 'what to do about it' : 'each dead letter has its own, the first';
  return { text: `nothing by itself; ${whose}:`, command: `why ${first.id}` };
}

function nextWords({ state, sealed, recipients, dueAt, sendAt }: NotificationRecord, now: number): string {
  switch (state) {
    case 'accepted':
      if (!sealed && recipients === 'explicit')
        return 'waits for the rest of its recipients: publish it again under the same key if its producer is gone';
      return sendAt !== null && sendAt > now
        ? `waits for ${when(sendAt, now)}`
        : `the next free worker decides who gets it; due ${when(dueAt, now)}`;
    case 'expanding':
      return `a worker makes the rest of its deliveries; due ${when(dueAt, now)}`;
    case 'expanded':
      return 'workers send what is left; it is done when each delivery has settled';
    case 'done':
      return 'nothing: each delivery has settled';
    case 'cancelled':
      return 'nothing: it was cancelled';
    case 'failed':
      return 'nothing by itself: mend the route of its type, then publish it again under another key';
  }
}
