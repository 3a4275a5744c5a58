import { memoryPlace, postgresPlaces, redisPlaces, sqlitePlace } from './stores.ts';
import { testInboxLaws } from './suite.ts';

testInboxLaws('an inbox in memory', memoryPlace);
testInboxLaws('an inbox in SQLite', sqlitePlace);
testInboxLaws('an inbox in PostgreSQL', postgresPlaces());
testInboxLaws('an inbox in Redis', redisPlaces());
