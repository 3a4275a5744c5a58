import { thrownWords } from './thrown-words.ts';

/** What an adapter left running and forgot about: told in the report, and no fault of this program. */
export function looseEnds(): { readonly loose: string[]; readonly forget: () => void } {
  const loose: string[] = [];
  const others = process.listeners('unhandledRejection');
  const note = (thrown: unknown): void => {
    const words = thrownWords(thrown);
    if (!loose.includes(words)) loose.push(words);
  };
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  return {
    loose,
    forget() {
      process.off('unhandledRejection', note);
      for (const other of others) process.on('unhandledRejection', other);
    },
  };
}

/** Node tells of a rejection that nobody took after everything that is under way at that moment. */
export function rejections(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
