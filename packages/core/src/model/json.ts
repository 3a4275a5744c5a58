/** How deep data may nest: far more than any message needs, and far less than a stack takes. */
export const DEEPEST = 100;

/** Why something cannot be kept as JSON: `content.files[0] is binary data (Uint8Array): give it as text, for example in base64`. */
export class NotJson extends Error {
  constructor(where: string, what: string) {
    super(`${where} is ${what}`);
    this.name = 'NotJson';
  }
}

/**
 * An own copy of what was given, frozen all the way down, of JSON values only: text, finite numbers, true, false, null, and lists and
 * objects of them. Whatever has `toJSON` (a Date) is what that says; a field that is undefined is left out, and null in a list. What
 * JSON would drop or change without a word (functions, NaN, a Map, binary data, a cycle) is refused.
 * @throws NotJson naming the place, counted from `name`; and whatever a getter or `toJSON` throws.
 */
export function jsonCopy(given: unknown, name: string): unknown {
  return new Copier(name).copy(given);
}

const copies = new WeakMap<object, unknown>();

/**
 * What a ledger keeps, for the eyes of somebody else's code: a frozen copy, the same one every time. One notification's data are shown
 * to the content function of every recipient.
 */
export function frozenCopy<T>(kept: T, name: string): T {
  if (typeof kept !== 'object' || kept === null) return kept;
  const known = copies.get(kept);
  if (known !== undefined) return known as T;
  const copy = jsonCopy(kept, name) as T & object;
  copies.set(kept, copy);
  copies.set(copy, copy);
  return copy;
}

/** The name of a field, the place in a list; null where there is none: the whole, and what `toJSON` says in an object's stead. */
type Field = string | number | null;

/** An object that is being copied, and where it is. */
interface Place {
  readonly holder: object;
  readonly field: Field;
  readonly around: Place | null;
  readonly depth: number;
}

/** Makes a place per object and nothing per value, since nearly everything is flat, and copied for each recipient. */
class Copier {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  copy(value: unknown, field: Field = null, around: Place | null = null): unknown {
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return value;
      case 'number':
        if (!Number.isFinite(value)) this.#refuse(`${value}`, field, around);
        // JSON knows no -0.
        return value === 0 ? 0 : value;
      case 'object':
        return value === null ? null : this.#inside(value, field, around);
      case 'bigint':
        return this.#refuse('a bigint: give it as text', field, around);
      default:
        return this.#refuse(`a ${typeof value}`, field, around);
    }
  }

  #inside(holder: object, field: Field, around: Place | null): unknown {
    for (let outer = around; outer !== null; outer = outer.around)
      if (outer.holder === holder) this.#refuse('a circular reference', field, around);
    const depth = around === null ? 0 : around.depth + 1;
    if (depth >= DEEPEST) this.#refuse(`nested deeper than ${DEEPEST} levels`, field, around);
    if (Object.getPrototypeOf(holder) !== Object.prototype) this.#refuseOdd(holder, field, around);
    const here: Place = { holder, field, around, depth };
    if (hasToJson(holder)) return this.copy(holder.toJSON(String(nearest(here) ?? '')), null, here);
    if (Array.isArray(holder))
      return Object.freeze(Array.from(holder, (each, at) => this.copy(each, at, here) ?? null));
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(holder)) {
      const value = this.copy((holder as Record<string, unknown>)[name], name, here);
      if (value === undefined) continue;
      if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true });
      else copy[name] = value;
    }
    return Object.freeze(copy);
  }

  /** What is no plain object may be a list, or something that JSON has no word for. */
  #refuseOdd(holder: object, field: Field, around: Place | null): void {
    const kind = Object.prototype.toString.call(holder).slice('[object '.length, -1);
    if (ArrayBuffer.isView(holder) || kind.endsWith('ArrayBuffer'))
      this.#refuse(`binary data (${kind}): give it as text, for example in base64`, field, around);
    if (kind === 'Date' && Number.isNaN((holder as Date).getTime())) this.#refuse('an invalid Date', field, around);
    if (kind === 'Object' || Array.isArray(holder) || hasToJson(holder)) return;
    this.#refuse(`${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}: give plain values`, field, around);
  }

  #refuse(what: string, field: Field, around: Place | null): never {
    let where = stepTo(field);
    for (let outer = around; outer !== null; outer = outer.around) where = stepTo(outer.field) + where;
    throw new NotJson(this.#name + where, what);
  }
}

function stepTo(field: Field): string {
  if (field === null) return '';
  return typeof field === 'number' ? `[${field}]` : `.${field}`;
}

/** The field that leads to a place: its own, or that of the object whose `toJSON` gave it. */
function nearest(place: Place): Field {
  for (let at: Place | null = place; at !== null; at = at.around) if (at.field !== null) return at.field;
  return null;
}

function hasToJson(holder: object): holder is { toJSON(field: string): unknown } {
  return 'toJSON' in holder && typeof holder.toJSON === 'function';
}
