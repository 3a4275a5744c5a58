import { placeOf } from '../config-file/place.ts';

/** What the user's own code threw, and where in it. */
export function thrownWords(thrown: unknown): string {
  const { name, message } = thrown instanceof Error ? thrown : { name: 'thrown', message: String(thrown) };
  const place = placeOf(thrown);
  return `${name === 'Error' ? '' : `${name}: `}${message.split('\n')[0] ?? ''}${place === null ? '' : `, at ${place}`}`;
}
