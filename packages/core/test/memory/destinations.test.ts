import { destinationLaws, type DestinationsSubject } from '../../src/conformance/index.ts';
import { manualClock, memoryDestinations } from '../../src/memory/index.ts';
import { testLaws } from '../conformance/support/laws.ts';

function subject(): DestinationsSubject {
  const clock = manualClock(1_700_000_000_000);
  const destinations = memoryDestinations({ clock });
  const elapse = async (ms: number): Promise<void> => clock.advance(ms);
  return { destinations, capabilities: {}, unitMs: 1_000, elapse, close: () => destinations.close() };
}

testLaws('destinations in memory', destinationLaws, subject);
