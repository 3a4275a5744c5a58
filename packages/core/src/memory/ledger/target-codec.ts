import { CHANNELS } from '../../model/classes.ts';
import { normaliseAddress } from '../../model/address.ts';
import type { Target } from '../../model/recipient.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { nameTable } from './name-table.ts';

export interface TargetCodec {
  write(to: ByteWriter, target: Target): void;
  read(from: ByteReader): Target;
}

/** Domains and shapes of data that are kept apart; whatever comes after these is written out each time. */
const MOST_NAMES = 4_096;

// The first byte: the channel in the low bits, and what is as expected.
const CHANNEL = 7;
const IS_ADDRESS_IDENTITY = 8;
const HAS_DESTINATION = 16;
const HAS_DOMAIN = 32;
const DATA = 192;
const DATA_EMPTY = 0;
const DATA_SHAPED = 64;
const DATA_JSON = 128;
/** Written whole: a target that cannot be used, or on a channel that is none of ours. */
const AS_JSON = 192;

/** Targets in few bytes: domains and field names repeat, and the identity mostly is the address. */
export function targetCodec(): TargetCodec {
  const domains = nameTable<string>(MOST_NAMES);
  /** Field names of data, as JSON. */
  const shapes = nameTable<string>(MOST_NAMES);
  const fieldsOf: (readonly string[])[] = [];

  function shapeOf(fields: readonly string[]): number {
    const shape = shapes.numberOf(JSON.stringify(fields));
    if (shape === fieldsOf.length) fieldsOf.push(fields);
    return shape;
  }

  return {
    write(to, target) {
      const { channel, to: address, recipientId, destinationId, data } = target;
      if (target.problem !== undefined || !CHANNELS.includes(channel)) {
        to.byte(AS_JSON);
        to.text(JSON.stringify(target));
        return;
      }
      const isIdentity = recipientId === normaliseAddress(channel, address);
      const at = channel === 'email' ? address.lastIndexOf('@') : -1;
      const domain = at < 0 ? -1 : domains.numberOf(address.slice(at));
      const fields = Object.keys(data);
      const shape = fields.length > 0 && fields.every((field) => isPlain(field, data[field])) ? shapeOf(fields) : -1;
      const dataFlag = fields.length === 0 ? DATA_EMPTY : shape < 0 ? DATA_JSON : DATA_SHAPED;
      to.byte(
        CHANNELS.indexOf(channel) |
          (isIdentity ? IS_ADDRESS_IDENTITY : 0) |
          (destinationId === '' ? 0 : HAS_DESTINATION) |
          (domain < 0 ? 0 : HAS_DOMAIN) |
          dataFlag,
      );
      if (domain < 0) to.text(address);
      else {
        to.number(domain);
        to.text(address.slice(0, at));
      }
      if (!isIdentity) to.text(recipientId);
      if (destinationId !== '') to.text(destinationId);
      if (dataFlag === DATA_JSON) to.text(JSON.stringify(data));
      if (dataFlag !== DATA_SHAPED) return;
      to.number(shape);
      for (const field of fields) writePlain(to, data[field]);
    },
    read(from) {
      const flags = from.byte();
      if (flags === AS_JSON) return JSON.parse(from.text()) as Target;
      const channel = CHANNELS[flags & CHANNEL] as Target['channel'];
      const domain = (flags & HAS_DOMAIN) === 0 ? '' : domains.nameOf(from.number());
      const to = from.text() + domain;
      return {
        channel,
        to,
        recipientId: (flags & IS_ADDRESS_IDENTITY) === 0 ? from.text() : normaliseAddress(channel, to),
        destinationId: (flags & HAS_DESTINATION) === 0 ? '' : from.text(),
        data: readData(from, flags & DATA),
      };
    },
  };

  function readData(from: ByteReader, kind: number): Target['data'] {
    if (kind === DATA_EMPTY) return {};
    if (kind === DATA_JSON) return JSON.parse(from.text()) as Target['data'];
    const data: Record<string, unknown> = {};
    for (const field of fieldsOf[from.number()] ?? []) data[field] = readPlain(from);
    return data;
  }
}

type Plain = string | number | boolean | null;

/** Whether it comes back as it is by setting the field. */
function isPlain(field: string, value: unknown): boolean {
  if (field === '__proto__') return false;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

const PLAIN_NUMBER = 0;
const PLAIN_TEXT = 1;
const CONSTANTS = [null, false, true] as const;
const FIRST_CONSTANT = 2;

function writePlain(to: ByteWriter, value: unknown): void {
  if (typeof value === 'number') {
    to.byte(PLAIN_NUMBER);
    to.number(value);
  } else if (typeof value === 'string') {
    to.byte(PLAIN_TEXT);
    to.text(value);
  } else to.byte(FIRST_CONSTANT + CONSTANTS.indexOf(value as boolean | null));
}

function readPlain(from: ByteReader): Plain {
  const kind = from.byte();
  if (kind === PLAIN_NUMBER) return from.number();
  return kind === PLAIN_TEXT ? from.text() : (CONSTANTS[kind - FIRST_CONSTANT] as Plain);
}
