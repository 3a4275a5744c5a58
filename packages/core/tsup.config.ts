import { packageBuild } from '../../tsup.base.ts';

export default packageBuild({
  index: 'src/index.ts',
  'memory/index': 'src/memory/index.ts',
  'records/index': 'src/records/index.ts',
  'conformance/index': 'src/conformance/index.ts',
  system: 'src/system.ts',
  internal: 'src/internal.ts',
});
