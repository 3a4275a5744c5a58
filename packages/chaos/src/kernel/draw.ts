/*
 * Every random choice of a run is a hash of where it is made: draw(seed, label, entity, n). Nothing is drawn from a stream, so a
 * fault or a recipient taken out of a plan moves no other choice.
 */

/** The finaliser of MurmurHash3: every bit of the input moves every bit of the result. */
export function mix(value: number): number {
  let h = value;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  h ^= h >>> 16;
  return h >>> 0;
}

/** A text as 32 bits. Names of labels are hashed once, when their module is loaded. */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h ^ text.length);
}

/** 32 uniform bits for the nth choice that `label` makes about `entity`. */
export function draw(seed: number, label: number, entity: number, n: number): number {
  let h = mix(seed ^ Math.imul(label, 0x9e3779b1));
  h = mix(h + Math.imul(entity, 0x85ebca77));
  return mix(h ^ Math.imul(n + 1, 0xc2b2ae3d));
}

/** Uniform in [0, 1). */
export function unit(bits: number): number {
  return bits / 0x1_0000_0000;
}

/** A whole number from `least` to `most`, both included. */
export function between(bits: number, least: number, most: number): number {
  return least + Math.floor(unit(bits) * (most - least + 1));
}

/** One of the items. */
export function pick<T>(bits: number, items: readonly T[]): T {
  return items[Math.floor(unit(bits) * items.length)] as T;
}
