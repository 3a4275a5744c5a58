import type { Move } from '@sendonce/core';
import type { Kill, Recovery } from './facts.ts';

/** Reads the stories of all deliveries: each move says when, and by which start of which worker. */
export function recoveryOf({ worker, startedAt, at }: Kill, stories: Iterable<readonly Move[]>): Recovery {
  let orphans = 0;
  const waits: number[] = [];
  for (const story of stories) {
    const held = heldAt(story, at);
    if (held < 0 || !isBy(story[held], worker, startedAt)) continue;
    orphans += 1;
    const next = story[held + 1];
    if (next !== undefined) waits.push(next.at - at);
  }
  const sorted = waits.sort((a, b) => a - b);
  return { orphans, firstMs: sorted[0] ?? null, lastMs: sorted.at(-1) ?? null };
}

/** The move that the record stood at when the process died, if somebody held it then; -1. */
function heldAt(story: readonly Move[], at: number): number {
  let last = -1;
  for (const [index, move] of story.entries()) if (move.at <= at) last = index;
  const to = story[last]?.to;
  return to === 'processing' || to === 'dispatching' ? last : -1;
}

/** An owner is named after its worker, and each start has another; what an earlier start held was an earlier kill's. */
function isBy(move: Move | undefined, worker: string, startedAt: number): boolean {
  return move !== undefined && move.at >= startedAt && move.by.startsWith(`${worker}:`);
}
