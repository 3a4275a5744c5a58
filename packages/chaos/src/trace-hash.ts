import type { HistoryEvent, Observer } from './history.ts';

const NUMBER = 1;
const STRING = 2;
const ARRAY = 3;
const OBJECT = 4;
const TRUE = 5;
const FALSE = 6;
const NULL = 7;
const UNDEFINED = 8;
const BIGINT = 9;

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

/**
 * What happened, in 64 bits: two runs with the same hash had the same events, in the same order, with the same content. Every field of
 * every event goes in, by a walk over the values, so that a field added later is hashed too.
 */
export class TraceHash implements Observer {
  #a = 0x9e3779b9;
  #b = 0x85ebca6b;
  /** Hashes of strings that come again: kinds, names, field names. */
  readonly #short = new Map<string, number>();

  on(event: HistoryEvent): void {
    this.#value(event);
  }

  /** 16 hex digits. May be asked at any time. */
  digest(): string {
    return hex(finish(this.#a)) + hex(finish(this.#b ^ Math.imul(this.#a, 0x27d4eb2f)));
  }

  #mix(word: number): void {
    const a = Math.imul(this.#a ^ word, 0xcc9e2d51);
    this.#a = (a << 15) | (a >>> 17);
    const b = Math.imul(this.#b + word, 0x1b873593) ^ a;
    this.#b = (b << 13) | (b >>> 19);
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.#string(value);
      case 'number':
        return this.#number(value);
      case 'boolean':
        return this.#mix(value ? TRUE : FALSE);
      case 'object':
        if (value === null) return this.#mix(NULL);
        return Array.isArray(value) ? this.#array(value) : this.#object(value as Readonly<Record<string, unknown>>);
      case 'bigint':
        this.#mix(BIGINT);
        return this.#string(String(value));
      // A history is data: what is neither counts as absent.
      case 'undefined':
      case 'function':
      case 'symbol':
        return this.#mix(UNDEFINED);
    }
  }

  #number(value: number): void {
    if ((value | 0) === value && !Object.is(value, -0)) return this.#mix(Math.imul(value, 0x9e3779b1) ^ NUMBER);
    float[0] = value;
    this.#mix((halves[0] ?? 0) ^ NUMBER);
    this.#mix(halves[1] ?? 0);
  }

  #string(text: string): void {
    this.#mix((text.length << 4) | STRING);
    // Ids are told apart by all of their characters; two characters make a word.
    let i = 0;
    for (; i + 1 < text.length; i += 2) this.#mix(text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16));
    if (i < text.length) this.#mix(text.charCodeAt(i));
  }

  #array(values: readonly unknown[]): void {
    this.#mix((values.length << 4) | ARRAY);
    for (const value of values) this.#value(value);
  }

  #object(value: Readonly<Record<string, unknown>>): void {
    this.#mix(OBJECT);
    let fields = 0;
    for (const field in value) {
      this.#mix(this.#name(field));
      this.#value(value[field]);
      fields += 1;
    }
    this.#mix(fields);
  }

  #name(field: string): number {
    const known = this.#short.get(field);
    if (known !== undefined) return known;
    let hash = 0x811c9dc5;
    for (let i = 0; i < field.length; i += 1) hash = Math.imul(hash ^ field.charCodeAt(i), 0x01000193);
    this.#short.set(field, hash);
    return hash;
  }
}

function finish(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
