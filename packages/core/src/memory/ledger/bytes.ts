/** Writes numbers and texts one after another into bytes of its own, which grow as needed and are used again. */
export interface ByteWriter {
  /** What is written so far: `bytes` up to `length`. Only good until the next `reset`. */
  readonly bytes: Buffer;
  readonly length: number;
  reset(): void;
  /** 0 to 255. */
  byte(value: number): void;
  /** Any finite number; small whole ones take a byte. */
  number(value: number): void;
  /** Any text, lone surrogates too. */
  text(value: string): void;
  /** A delivery's id: in 18 bytes if it looks as ids of ours do. */
  id(value: string): void;
}

/** Reads what a `ByteWriter` wrote, in the same order. */
export interface ByteReader {
  bytes: Buffer;
  at: number;
  byte(): number;
  number(): number;
  text(): string;
  id(): string;
}

const ID_PREFIX = 'd_';
/** 22 letters of 6 bits. */
const ID_LETTERS = 22;
const ID_LENGTH = ID_PREFIX.length + ID_LETTERS;
const ID_BYTES = 17;
const PACKED = 1;
const PLAIN = 0;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const LETTER = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
const VALUE = new Uint8Array(128).fill(255);
for (let value = 0; value < LETTER.length; value += 1) VALUE[LETTER[value] as number] = value;

/** Above it a number no longer fits the short form, which spends a bit on the sign and one on saying that it is short. */
const MOST_SHORT = 2 ** 50;
const LONG_NUMBER = 1;

export function byteWriter(): ByteWriter {
  let bytes = Buffer.allocUnsafeSlow(4_096);
  let length = 0;

  function room(size: number): void {
    if (length + size <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, length + size));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  }

  /** Seven bits a byte, the lowest first. */
  function varint(value: number): void {
    room(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[length++] = (rest % 0x80) | 0x80;
    bytes[length++] = rest;
  }

  /** False, and nothing written, when a letter is none of ours. */
  function packed(id: string): boolean {
    if (id.length !== ID_LENGTH || !id.startsWith(ID_PREFIX)) return false;
    room(1 + ID_BYTES);
    let at = length;
    bytes[at++] = PACKED;
    let bits = 0;
    let held = 0;
    for (let i = ID_PREFIX.length; i < ID_LENGTH; i += 1) {
      const value = VALUE[id.charCodeAt(i)] ?? 255;
      if (value === 255) return false;
      bits = ((bits << 6) | value) & 0xffff;
      held += 6;
      if (held < 8) continue;
      held -= 8;
      bytes[at++] = bits >>> held;
    }
    bytes[at++] = (bits << (8 - held)) & 0xff;
    length = at;
    return true;
  }

  function utf8(text: string, isJson: 0 | 1, size: number = Buffer.byteLength(text)): void {
    varint(size * 2 + isJson);
    room(size);
    length += bytes.write(text, length, 'utf8');
  }

  const writer: ByteWriter = {
    get bytes() {
      return bytes;
    },
    get length() {
      return length;
    },
    reset() {
      length = 0;
    },
    byte(value) {
      room(1);
      bytes[length++] = value;
    },
    number(value) {
      if (Number.isInteger(value) && Math.abs(value) < MOST_SHORT && !Object.is(value, -0)) {
        varint((value >= 0 ? value * 2 : -value * 2 - 1) * 2);
        return;
      }
      varint(LONG_NUMBER);
      room(8);
      length = bytes.writeDoubleLE(value, length);
    },
    text(value) {
      const size = Buffer.byteLength(value);
      // UTF-8 has no lone surrogates; JSON escapes them. Nothing but ASCII is as long in bytes as in letters.
      if (size !== value.length && /\p{Surrogate}/u.test(value)) utf8(JSON.stringify(value), 1);
      else utf8(value, 0, size);
    },
    id(value) {
      if (packed(value)) return;
      writer.byte(PLAIN);
      writer.text(value);
    },
  };
  return writer;
}

export function byteReader(): ByteReader {
  const letters = Buffer.alloc(ID_LENGTH, ID_PREFIX);

  function varint(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = reader.bytes[reader.at++] as number;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      unit *= 0x80;
    }
  }

  const reader: ByteReader = {
    bytes: Buffer.alloc(0),
    at: 0,
    byte: () => reader.bytes[reader.at++] as number,
    number() {
      const short = varint();
      if (short === LONG_NUMBER) {
        reader.at += 8;
        return reader.bytes.readDoubleLE(reader.at - 8);
      }
      const signed = short / 2;
      return signed % 2 === 0 ? signed / 2 : -(signed + 1) / 2;
    },
    text() {
      const head = varint();
      const size = Math.floor(head / 2);
      const from = reader.at;
      reader.at += size;
      const text = reader.bytes.toString('utf8', from, reader.at);
      return head % 2 === 0 ? text : (JSON.parse(text) as string);
    },
    id() {
      if (reader.byte() === PLAIN) return reader.text();
      let bits = 0;
      let held = 0;
      for (let i = ID_PREFIX.length; i < ID_LENGTH; i += 1) {
        if (held < 6) {
          bits = ((bits << 8) | reader.byte()) & 0xffff;
          held += 8;
        }
        held -= 6;
        letters[i] = LETTER[(bits >>> held) & 63] as number;
      }
      return letters.toString('latin1');
    },
  };
  return reader;
}
