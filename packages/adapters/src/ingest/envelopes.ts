import { isFields, shown } from '@sendonce/core/internal';

/*
 * What events of others are wrapped in. Each throws for what is none, so that `ingest` sets the message aside with the reason.
 */

export interface SnsNotification {
  readonly id: string;
  readonly topicArn: string;
  /** What was published to the topic, as text. */
  readonly message: string;
  readonly subject: string | null;
}

/**
 * The SNS envelope in a queue that is subscribed without raw delivery. @throws TypeError
 * https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
export function snsNotification(body: string): SnsNotification {
  const { Type, MessageId, TopicArn, Message, Subject } = fieldsIn(body, 'an SNS notification');
  if (Type !== 'Notification')
    throw new TypeError(`Type of an SNS notification must be 'Notification', got ${shown(Type)}`);
  return {
    id: textAt('MessageId', MessageId),
    topicArn: textAt('TopicArn', TopicArn),
    message: textAt('Message', Message),
    subject: typeof Subject === 'string' ? Subject : null,
  };
}

export interface EventBridgeEvent {
  readonly id: string;
  readonly source: string;
  readonly detailType: string;
  readonly detail: unknown;
}

/**
 * An event as EventBridge delivers it. @throws TypeError
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
 */
export function eventBridgeEvent(body: string): EventBridgeEvent {
  const { id, source, detail, ...rest } = fieldsIn(body, 'an EventBridge event');
  return {
    id: textAt('id', id),
    source: textAt('source', source),
    detailType: textAt('detail-type', rest['detail-type']),
    detail,
  };
}

export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly data: unknown;
}

/**
 * An event in the JSON format of CloudEvents; `source` and `id` together name it. @throws TypeError
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
 */
export function cloudEvent(body: string): CloudEvent {
  const { specversion, id, source, type, data } = fieldsIn(body, 'a CloudEvent');
  textAt('specversion', specversion);
  return { id: textAt('id', id), source: textAt('source', source), type: textAt('type', type), data };
}

function fieldsIn(body: string, what: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new TypeError(`the body is not JSON, so not ${what}`);
  }
  if (!isFields(parsed)) throw new TypeError(`the body is ${shown(parsed)}, not ${what}`);
  return parsed;
}

function textAt(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${name} must be a text, got ${shown(value)}`);
}
