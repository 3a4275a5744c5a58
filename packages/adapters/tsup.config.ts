import { entriesIn, packageBuild } from '../../tsup.base.ts';

export default packageBuild({
  catalogue: 'src/catalogue.ts',
  ...entriesIn('queues'),
  ...entriesIn('ledgers'),
  ...entriesIn('providers'),
  ...entriesIn('addresses'),
  ...entriesIn('alerts'),
  ...entriesIn('destinations'),
  ...entriesIn('ingest'),
  ...entriesIn('outbox'),
  ...entriesIn('fakes'),
  ...entriesIn('inboxes'),
});
