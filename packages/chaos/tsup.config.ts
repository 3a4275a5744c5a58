import { packageBuild } from '../../tsup.base.ts';

export default packageBuild({
  index: 'src/index.ts',
  'search-thread': 'src/search/thread.ts',
  'model/index': 'src/model/index.ts',
  'processes/index': 'src/processes/index.ts',
});
