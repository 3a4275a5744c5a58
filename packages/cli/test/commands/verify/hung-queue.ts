import make from './memory-queue.ts';

/** Answers no receive. */
export default function hung() {
  const { queue, ...rest } = make();
  return { queue: { ...queue, receive: () => new Promise(() => undefined) }, ...rest };
}
