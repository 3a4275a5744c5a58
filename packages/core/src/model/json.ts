/** How deep data may nest: far more than any message needs, and far less than a stack takes. */
const DEEPEST = 100;

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

class Copier {
  readonly #name: string;
  /** The fields that lead to where we are, and the objects that hold them. */
  readonly #trail: (string | number)[] = [];
  readonly #holders: object[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  copy(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return value;
      case 'number':
        if (!Number.isFinite(value)) this.#refuse(`${value}`);
        // JSON knows no -0.
        return value === 0 ? 0 : value;
      case 'object':
        return value === null ? null : this.#inside(value);
      case 'bigint':
        return this.#refuse('a bigint: give it as text');
      default:
        return this.#refuse(`a ${typeof value}`);
    }
  }

  #inside(holder: object): unknown {
    if (this.#holders.includes(holder)) this.#refuse('a circular reference');
    if (this.#holders.length >= DEEPEST) this.#refuse(`nested deeper than ${DEEPEST} levels`);
    this.#holders.push(holder);
    const copy = this.#copyOf(holder);
    this.#holders.pop();
    return copy;
  }

  #copyOf(holder: object): unknown {
    if (Object.getPrototypeOf(holder) !== Object.prototype) this.#refuseOdd(holder);
    if (hasToJson(holder)) return this.copy(holder.toJSON(String(this.#trail.at(-1) ?? '')));
    if (Array.isArray(holder)) return Object.freeze(Array.from(holder, (each, at) => this.#at(at, each) ?? null));
    const copy: Record<string, unknown> = {};
    for (const field of Object.keys(holder)) {
      const value = this.#at(field, (holder as Record<string, unknown>)[field]);
      if (value === undefined) continue;
      if (field === '__proto__') Object.defineProperty(copy, field, { value, enumerable: true });
      else copy[field] = value;
    }
    return Object.freeze(copy);
  }

  /** What is no plain object may be a list, or something that JSON has no word for. */
  #refuseOdd(holder: object): void {
    const kind = Object.prototype.toString.call(holder).slice('[object '.length, -1);
    if (ArrayBuffer.isView(holder) || kind.endsWith('ArrayBuffer'))
      this.#refuse(`binary data (${kind}): give it as text, for example in base64`);
    if (kind === 'Date' && Number.isNaN((holder as Date).getTime())) this.#refuse('an invalid Date');
    if (kind === 'Object' || Array.isArray(holder) || hasToJson(holder)) return;
    this.#refuse(`${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}: give plain values`);
  }

  #at(field: string | number, value: unknown): unknown {
    this.#trail.push(field);
    const copy = this.copy(value);
    this.#trail.pop();
    return copy;
  }

  #refuse(what: string): never {
    const steps = this.#trail.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
    throw new NotJson(this.#name + steps.join(''), what);
  }
}

function hasToJson(holder: object): holder is { toJSON(field: string): unknown } {
  return 'toJSON' in holder && typeof holder.toJSON === 'function';
}
