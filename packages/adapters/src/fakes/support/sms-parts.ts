const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Each takes the place of two. */
const EXTENDED = '^{}\\[~]|€\f';

/** Whether a text can be said in the alphabet of GSM (3GPP 23.038). */
export function isGsm(text: string): boolean {
  return [...text].every((each) => BASIC.includes(each) || EXTENDED.includes(each));
}

/** The parts of an SMS: of 160 or, where there are several, 153 places in GSM; of 70 or 67 units of UTF-16 else. */
export function smsParts(text: string): number {
  const isShort = isGsm(text);
  const [alone, inParts] = isShort ? [160, 153] : [70, 67];
  const places = [...text].map((each) => (isShort ? (EXTENDED.includes(each) ? 2 : 1) : each.length));
  if (places.reduce((sum, each) => sum + each, 0) <= alone) return 1;
  // No character is cut in two.
  let [parts, left] = [1, inParts];
  for (const each of places) {
    if (each > left) [parts, left] = [parts + 1, inParts];
    left -= each;
  }
  return parts;
}
