import { places, type RedisPlace } from './redis/places.ts';
import { testProcesses } from './processes/suite.ts';

const { make, open } = places();

testProcesses({ make, openLedger: (place) => open(place as RedisPlace) });
