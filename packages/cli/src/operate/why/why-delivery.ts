import type { DeliveryRecord } from '@sendonce/core';
import { answering } from '../answering.ts';
import type { Desk } from '../desk.ts';
import { findDelivery } from '../find-record.ts';
import { letterJson } from '../letter-json.ts';
import { absolute, block, columns, relative } from '../words.ts';
import { nextStep } from './next-step.ts';
import type { Why } from './why.ts';
import { storyOf } from './story.ts';

/** The story of one delivery, and what happens next. */
export async function whyDelivery(desk: Desk, id: string): Promise<Why> {
  const { ledger, masks, config, terminal } = desk;
  const record = await findDelivery(ledger, id);
  const [moves, next] = await Promise.all([
    answering('tell a story', ledger.history(id)),
    record.replacedBy === null ? null : findNext(desk, record.replacedBy),
  ]);
  const now = desk.now();
  const story = storyOf(record, moves, next, masks);
  const { text, command } = nextStep(record, config, now);
  const step = { text, command: command === null ? null : desk.command(command) };
  const title = `${terminal.paint.bold(record.state.toUpperCase())}  ${record.id}: ${record.type} for ${masks.address(record.target.to)}`;
  const kept = moves.length > 0 ? [] : ['its moves are not kept any more; this is what the record itself tells'];
  return {
    lines: [
      title,
      '',
      ...columns(story.map(({ at, text }) => [`  ${absolute(at)}`, relative(at, now), text])),
      '',
      ...block('note', kept),
      ...block('next', [step.text, ...(step.command === null ? [] : [step.command])]),
    ],
    json: {
      schema: 'sendonce.why/1',
      kind: 'delivery',
      ...letterJson(record, masks),
      story: story.map(({ at, text }) => ({ at: absolute(at), text })),
      isWhole: moves.length > 0,
      next: step,
    },
  };
}

async function findNext({ ledger }: Desk, id: string): Promise<DeliveryRecord | null> {
  const [found = null] = await answering('find a delivery', ledger.find([id]));
  return found;
}
