import type { Random } from '@sendonce/core';
import { draw, hashText, unit } from './draw.ts';
import type { Kernel } from './kernel.ts';
import type { Life } from './process.ts';

const RANDOM = hashText('random');

/** The Random port of one start of a process: addressed by its name, its epoch and a count. */
export function processRandom(kernel: Kernel, life: Life): Random {
  const { process, epoch } = life;
  return {
    next: () => unit(draw(kernel.seed, RANDOM, process.hash + epoch, life.draws++)),
    id: () => `${process.name}-${epoch}-${life.ids++}`,
  };
}
