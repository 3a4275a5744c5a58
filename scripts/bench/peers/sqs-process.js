// An SQS on loopback; tells its parent the port, and ends with it.
import { buildApp } from 'fauxqs';

const app = buildApp({ logger: false });
await app.listen({ port: 0, host: '127.0.0.1' });
process.once('disconnect', () => process.exit());
process.send(app.server.address().port);
