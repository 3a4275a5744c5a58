/** How a text travels as SMS. */
export interface Segments {
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** Septets, or units of 16 bits. */
  readonly units: number;
  /** What is billed: the messages that a phone puts together again. */
  readonly segments: number;
}

/** The default alphabet of 3GPP TS 23.038, section 6.2.1: one septet each. */
const BASIC: ReadonlySet<string> = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Its extension table, section 6.2.1.1: two septets each, the first of them an escape. */
const EXTENSION: ReadonlySet<string> = new Set('\f^{}\\[~]|€');

/** Units in a message that is alone, and in each of several: 140 octets, of which the header that joins them takes 6 (3GPP TS 23.040). */
const ROOM = { 'GSM-7': { alone: 160, joined: 153 }, 'UCS-2': { alone: 70, joined: 67 } } as const;

/** The messages that a text makes. Pure. National alphabets are left out: they have to be asked for, and no adapter does. */
export function segmentsOf(text: string): Segments {
  const characters = [...text];
  const isGsm = characters.every((each) => BASIC.has(each) || EXTENSION.has(each));
  const encoding = isGsm ? 'GSM-7' : 'UCS-2';
  const sizes = characters.map((each) => (isGsm ? (EXTENSION.has(each) ? 2 : 1) : each.length));
  const units = sizes.reduce((sum, size) => sum + size, 0);
  const { alone, joined } = ROOM[encoding];
  return { encoding, units, segments: units <= alone ? 1 : filled(sizes, joined) };
}

/** An escape is not parted from what it escapes, nor a character from its other half. */
function filled(sizes: readonly number[], room: number): number {
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > room) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return segments;
}
