import make from './memory-queue.ts';

/** Lets go of a promise that fails. */
export default function forgetful() {
  const { queue, ...rest } = make();
  const depth = (): Promise<number> => {
    void Promise.reject(new Error('the connection was lost'));
    return queue.depth();
  };
  return { queue: { ...queue, depth }, ...rest };
}
