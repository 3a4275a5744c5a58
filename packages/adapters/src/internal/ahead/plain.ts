/** A text without control characters: as JSON writes it, without the quotes. What is stored for look-ups is stored so. */
export function plain(text: string): string {
  return TO_ESCAPE.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}
/** What JSON writes in another way than it is. */
const TO_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;

/** The text that `plain` made this of. */
export function unplain(text: string): string {
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
