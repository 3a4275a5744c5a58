// The parameters of RFC 3492, section 5.
const [BASE, TMIN, TMAX, SKEW, DAMP] = [36, 1, 26, 38, 700];

/** What a label `xn--...` without its prefix stands for (RFC 3492, 6.2); null where it is none. */
export function decodePunycode(ascii: string): string | null {
  const cut = ascii.lastIndexOf('-');
  const points = cut < 0 ? [] : Array.from(ascii.slice(0, cut), codePoint);
  let [n, i, bias] = [0x80, 0, 72];
  for (let at = cut + 1; at < ascii.length;) {
    const before = i;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(ascii[at++]);
      if (digit === null) return null;
      i += digit * weight;
      const threshold = Math.min(TMAX, Math.max(TMIN, k - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
      if (weight > 0xffff_ffff || i > 0xffff_ffff) return null;
    }
    const length = points.length + 1;
    bias = adapted(i - before, length, before === 0);
    n += Math.floor(i / length);
    i %= length;
    if (n > 0x10_ffff || (n >= 0xd800 && n <= 0xdfff)) return null;
    points.splice(i++, 0, n);
  }
  return String.fromCodePoint(...points);
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let left = Math.floor(delta / (isFirst ? DAMP : 2));
  left += Math.floor(left / length);
  let k = 0;
  for (; left > ((BASE - TMIN) * TMAX) / 2; k += BASE) left = Math.floor(left / (BASE - TMIN));
  return k + Math.floor(((BASE - TMIN + 1) * left) / (left + SKEW));
}

function digitOf(character: string | undefined): number | null {
  const value = character === undefined ? NaN : parseInt(character, 36);
  if (Number.isNaN(value)) return null;
  // a to z are 0 to 25, and 0 to 9 come after them.
  return value < 10 ? value + 26 : value - 10;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
