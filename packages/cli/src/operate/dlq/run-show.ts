import type { DeliveryRecord, NotificationRecord } from '@sendonce/core';
import { EXIT } from '../../command-error.ts';
import { answering } from '../answering.ts';
import { atDesk, type Desk } from '../desk.ts';
import type { DeskFlags } from '../flags.ts';
import { failedCause } from '../failed-cause.ts';
import { findDelivery } from '../find-record.ts';
import { letterJson } from '../letter-json.ts';
import { DEAD_LETTER_STATES } from '../letter-filter.ts';
import { outcomeWords, providerWords } from '../outcome-words.ts';
import { prospectOf, type Prospect } from '../prospect.ts';
import { replayCommand } from '../replay-command.ts';
import { FAILED_RISKS, RISKS } from '../replay/plan-words.ts';
import { ledgerBlock } from '../which-ledger.ts';
import { absolute, block, when } from '../words.ts';

/** Runs `notify dlq show ID`; answers its exit code. @throws SendonceError DELIVERY_NOT_FOUND */
export function runShow(id: string, flags: DeskFlags): Promise<number> {
  return atDesk(flags, async (desk) => {
    const record = await findDelivery(desk.ledger, id);
    const [notification = null] = await answering(
      'find a notification',
      desk.ledger.findNotifications([record.notificationId]),
    );
    const prospect = prospectFor(record, notification, desk.now());
    const { terminal, isJson } = desk;
    terminal.out(
      isJson ? `${JSON.stringify(showJson(record, prospect, desk), null, 2)}\n` : showText(record, prospect, desk),
    );
    return EXIT.pass;
  });
}

function prospectFor(record: DeliveryRecord, notification: NotificationRecord | null, now: number): Prospect {
  const terms = { states: DEAD_LETTER_STATES, force: false, by: '', why: '' };
  return prospectOf(record, terms, { notificationCancelled: notification?.state === 'cancelled', now });
}

/** What is shown of the content: its subject, but not where that may be the secret itself. */
function subjectOf({ message, class: ofClass, target }: DeliveryRecord, { masks }: Desk): string | null {
  const subject = message?.subject;
  if (subject === undefined) return null;
  return ofClass === 'security' && !masks.areShown ? '(not shown: class security)' : masks.text(subject, target);
}

function showJson(record: DeliveryRecord, prospect: Prospect, desk: Desk): object {
  const { target, declarations } = record;
  return {
    schema: 'sendonce.delivery/1',
    ledger: desk.ledger.capabilities.file,
    ...letterJson(record, desk.masks),
    subject: subjectOf(record, desk),
    attempts: record.attempts.map((attempt) => ({
      n: attempt.n,
      provider: attempt.provider,
      at: absolute(attempt.markedAt),
      outcome: attempt.outcome?.kind ?? null,
      words: outcomeWords(attempt, desk.masks, target),
      arrival: attempt.arrival,
    })),
    declarations: declarations.map(({ kind, provider, at }) => ({ kind, provider, at: absolute(at) })),
    replay: { ...prospect, command: prospect.kind === 'chosen' ? desk.command(replayCommand(record)) : null },
  };
}

function showText(record: DeliveryRecord, prospect: Prospect, desk: Desk): string {
  const { masks, now, terminal } = desk;
  const { target, reason, settledAt, expiresAt, operator } = record;
  const subject = subjectOf(record, desk);
  const lines = [
    `${terminal.paint.bold(record.state.toUpperCase())}  ${record.id}`,
    '',
    ...ledgerBlock(desk.ledger),
    ...block('reason', reason === null ? [] : [masks.text(reason, target)]),
    ...block('to', [`${masks.address(target.to)} on ${target.channel}`]),
    ...block('what', [`${record.type} (class ${record.class}, tenant ${record.tenant}) of ${record.notificationId}`]),
    ...block('subject', subject === null ? [] : [subject]),
    ...block('made', [when(record.createdAt, now())]),
    ...block('settled', settledAt === null ? [] : [when(settledAt, now())]),
    ...block('expires', expiresAt === null ? [] : [when(expiresAt, now())]),
    ...block(
      'operator',
      operator === null ? [] : [`generation ${record.generation} by ${operator.by}: ${operator.why}`],
    ),
    ...block(
      'attempts',
      record.attempts.length === 0
        ? ['none']
        : record.attempts.map(
            (attempt) =>
              `${attempt.n}  ${absolute(attempt.markedAt)} ${providerWords(attempt)}: ${outcomeWords(attempt, masks, target)}`,
          ),
    ),
    ...block('replaying', replayingWords(record, prospect, desk)),
  ];
  return `${lines.join('\n')}\n`;
}

function replayingWords(record: DeliveryRecord, prospect: Prospect, { command }: Desk): string[] {
  switch (prospect.kind) {
    case 'chosen':
    case 'not-included': {
      const state = DEAD_LETTER_STATES.find((each) => each === record.state) ?? 'dead';
      const also = state !== 'parked' && prospect.kind === 'chosen' && prospect.possibleDuplicate;
      const risk = state === 'failed' ? FAILED_RISKS[failedCause(record)] : RISKS[state];
      return [risk, ...(also ? [`and it ${RISKS.parked}`] : []), command(replayCommand(record))];
    }
    case 'already-replayed':
      return [`nothing: it was sent again as ${prospect.as}`, command(`why ${prospect.as}`)];
    case 'refused':
      return [`is refused: ${prospect.reason}`];
  }
}
