import { setTimeout as delay } from 'node:timers/promises';
import type { Destinations } from '@sendonce/core';
import { destinationLaws } from '@sendonce/core/conformance';
import { testLaws } from '../../../core/test/conformance/support/laws.ts';

/** The laws on a store with a clock of its own, which has to be waited for. */
export function testDestinations(name: string, make: () => Destinations | Promise<Destinations>): void {
  testLaws(name, destinationLaws, async () => {
    const destinations = await make();
    return {
      destinations,
      capabilities: {},
      unitMs: 3,
      elapse: (ms) => delay(ms),
      close: () => destinations.close(),
    };
  });
}
