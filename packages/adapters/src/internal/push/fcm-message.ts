import type { MessageContent, OutgoingMessage } from '@sendonce/core';
import { isFields } from '@sendonce/core/internal';
import type { Rejection } from '../rejection.ts';
import { collapseIdOf, topicOf } from './ids.ts';

type Fields = Readonly<Record<string, unknown>>;

/** In which our delivery id comes to the app, which can drop by it what it has seen. */
export const DATA_KEY = 'sendonce_delivery';

/** `Message.data` in the reference of HTTP v1; `collapse_key` is in the list of the older API, and still means something on the device. */
const RESERVED = /^(from|message_type|collapse_key|(google|gcm).*)$/;

const PARTS = ['notification', 'android', 'apns', 'webpush', 'fcm_options'] as const;

class Refused extends Error {}

/** The message for one device that a content makes, or why it can never be one. */
export function fcmMessage({ to, content, deliveryId }: OutgoingMessage): Fields | Rejection {
  const token = to.trim();
  if (!/^[!-~]{1,4096}$/.test(token))
    return { kind: 'rejected', scope: 'destination', reason: 'not a registration token' };
  try {
    const parts = Object.fromEntries(PARTS.map((name) => [name, fieldsIn(content, name)] as const));
    const data = dataIn(content);
    const notification = parts['notification'] ?? plainNotification(content);
    const isShown = notification !== null || PARTS.some((name) => isFields(parts[name]?.['notification']));
    if (!isShown && data === null && parts['apns'] === null)
      throw new Refused("content needs a 'notification', 'data', or a 'subject' or 'text'");
    return {
      token,
      ...(notification !== null && { notification }),
      data: { ...data, [DATA_KEY]: deliveryId },
      ...(parts['fcm_options'] !== null && { fcm_options: parts['fcm_options'] }),
      ...replaceable(parts, notification !== null, deliveryId),
    };
  } catch (error) {
    if (error instanceof Refused) return { kind: 'rejected', scope: 'message', reason: error.message };
    throw error;
  }
}

/**
 * What makes a repeat replace what is shown, unless the content says otherwise. A tag only where something is shown: it would make a
 * notification of a message that is data alone. No `collapse_key`: a device that is away keeps four of them at most, so one for each
 * message would lose the others.
 */
function replaceable(parts: Readonly<Record<string, Fields | null>>, isShown: boolean, id: string): Fields {
  const tagged = (part: Fields): Fields => {
    const own = part['notification'];
    return isShown || isFields(own) ? { notification: { tag: id, ...(isFields(own) && own) } } : {};
  };
  const headed = (part: Fields, name: string, value: string): Fields => {
    const own = isFields(part['headers']) ? part['headers'] : {};
    const has = Object.keys(own).some((each) => each.toLowerCase() === name.toLowerCase());
    return { headers: has ? own : { ...own, [name]: value } };
  };
  const { android, apns, webpush } = parts;
  return {
    android: { ...android, ...tagged(android ?? {}) },
    apns: { ...apns, ...headed(apns ?? {}, 'apns-collapse-id', collapseIdOf(id)) },
    webpush: { ...webpush, ...tagged(webpush ?? {}), ...headed(webpush ?? {}, 'Topic', topicOf(id)) },
  };
}

function fieldsIn(content: MessageContent, name: string): Fields | null {
  const value = content[name];
  if (value === undefined || value === null) return null;
  if (!isFields(value)) throw new Refused(`content.${name} must be an object`);
  for (const inner of ['headers', 'notification'])
    if (value[inner] !== undefined && name !== 'notification' && !isFields(value[inner]))
      throw new Refused(`content.${name}.${inner} must be an object`);
  return value;
}

function plainNotification({ subject, text }: MessageContent): Fields | null {
  const given = { title: subject, body: text };
  const texts = Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== '');
  if (texts.some(([, value]) => typeof value !== 'string'))
    throw new Refused("content's 'subject' and 'text' must be texts");
  return texts.length === 0 ? null : Object.fromEntries(texts);
}

function dataIn(content: MessageContent): Fields | null {
  const data = fieldsIn(content, 'data');
  const android = content['android'];
  checkData('content.data', data ?? {});
  if (isFields(android) && isFields(android['data'])) checkData('content.android.data', android['data']);
  return data;
}

function checkData(where: string, data: Fields): void {
  for (const [key, value] of Object.entries(data)) {
    if (RESERVED.test(key) || key === DATA_KEY) throw new Refused(`${where} may not hold '${key}', which is reserved`);
    if (typeof value !== 'string') throw new Refused(`${where}['${key}'] must be a text, got ${typeof value}`);
  }
}
