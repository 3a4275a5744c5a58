import type { Move } from '@sendonce/core';
import { isNumber, isText, parsed } from './sound.ts';

/** A move as it is appended to the story: one JSON array per line. */
export function storyLine({ at, to, by, fence, note }: Omit<Move, 'from'>): string {
  return `${JSON.stringify([at, to, by, fence, note])}\n`;
}

/** The moves that can be read; a damaged line is left out, and hides none of the others. */
export function storyOf(text: string): Move[] {
  const moves: Move[] = [];
  for (const line of text.split('\n')) {
    const [at, to, by, fence, note = null] = lineOf(line);
    if (!isNumber(at) || !isText(to) || !isText(by) || !isNumber(fence) || !(note === null || isText(note))) continue;
    moves.push({ at, from: moves.at(-1)?.to ?? null, to: to as Move['to'], by, fence, note });
  }
  return moves;
}

function lineOf(line: string): readonly unknown[] {
  const move = line === '' ? [] : parsed<unknown>(line);
  return Array.isArray(move) ? move : [];
}
