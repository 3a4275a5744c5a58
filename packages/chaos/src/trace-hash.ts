import type { HistoryEvent, Observer } from './history.ts';

// What kind of value follows, so that 0, '', [], {} and null differ.
const NUMBER = 0x1b873593;
const STRING = 0x2545f491;
const ARRAY = 0x38b34ae5;
const OBJECT = 0x4cf5ad43;
const TRUE = 0x52dce729;
const FALSE = 0x61c88647;
const NULL = 0x7feb352d;
const ABSENT = 0x046ca68b;

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

export interface TraceHash extends Observer {
  /** 16 hex digits. May be asked at any time. */
  digest(): string;
}

/** A field's name, and the last text it had: owners, states and providers come again and again. */
interface Cell {
  readonly name: number;
  text: string;
  hash: number;
}

/**
 * What happened, in 64 bits: the same events, in the same order, with the same content, give the same hash, and nothing else does.
 * Every field of every event goes in, by a walk over the values, so that a field added later is hashed too.
 */
export function traceHash(): TraceHash {
  let a = 0x9e3779b9 | 0;
  let b = 0x85ebca6b | 0;
  const cells = new Map<string, Cell>();

  function mix(word: number): void {
    const x = Math.imul(a ^ word, 0xcc9e2d51);
    a = (x << 15) | (x >>> 17);
    const y = Math.imul(b + word, 0x9e3779b1) ^ x;
    b = (y << 13) | (y >>> 19);
  }

  function mixNumber(value: number): void {
    if ((value | 0) === value && !Object.is(value, -0)) return mix(value ^ NUMBER);
    float[0] = value;
    mix(NUMBER);
    mix(halves[0] ?? 0);
    mix(halves[1] ?? 0);
  }

  function mixValue(value: unknown, cell: Cell): void {
    if (typeof value === 'string') mixText(value, cell);
    else if (typeof value === 'number') mixNumber(value);
    else if (value === null) mix(NULL);
    else if (typeof value === 'boolean') mix(value ? TRUE : FALSE);
    else if (Array.isArray(value)) mixArray(value, cell);
    else if (typeof value === 'object') mixObject(value);
    // A history is data: what is none counts as absent.
    else mix(typeof value === 'bigint' ? textHash(String(value), NUMBER) : ABSENT);
  }

  function mixText(text: string, cell: Cell): void {
    if (text !== cell.text) {
      cell.text = text;
      cell.hash = textHash(text, STRING);
    }
    mix(cell.hash);
  }

  function mixArray(values: readonly unknown[], cell: Cell): void {
    mix(values.length ^ ARRAY);
    for (let i = 0; i < values.length; i += 1) mixValue(values[i], cell);
  }

  function mixObject(object: object): void {
    const value = object as Readonly<Record<string, unknown>>;
    let fields = 0;
    for (const field in value) {
      const cell = cellOf(field);
      mix(cell.name);
      mixValue(value[field], cell);
      fields += 1;
    }
    mix(fields ^ OBJECT);
  }

  function cellOf(field: string): Cell {
    const known = cells.get(field);
    if (known !== undefined) return known;
    const cell = { name: textHash(field, OBJECT), text: '', hash: textHash('', STRING) };
    cells.set(field, cell);
    return cell;
  }

  return {
    on: (event: HistoryEvent) => mixObject(event),
    digest: () => hex(finish(a)) + hex(finish(b ^ Math.imul(a, 0x27d4eb2f))),
  };
}

/** All characters count. Four of them make a word, for most are ASCII. */
function textHash(text: string, start: number): number {
  const { length } = text;
  let hash = start ^ length;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    const word =
      text.charCodeAt(i) ^
      (text.charCodeAt(i + 1) << 8) ^
      (text.charCodeAt(i + 2) << 16) ^
      (text.charCodeAt(i + 3) << 24);
    hash = Math.imul(hash ^ word, 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  for (; i < length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x42b2ae35) ^ (hash >>> 11);
  return hash;
}

function finish(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
