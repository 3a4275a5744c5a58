import { entriesIn, packageBuild } from '../../tsup.base.ts';

// Our own packages are bundled from source: few files to load at start, and no order between the builds.
export default packageBuild(
  { ...entriesIn('commands'), ...entriesIn('hooks') },
  {
    noExternal: [/^@sendonce\//],
    esbuildOptions(options) {
      options.conditions = ['@sendonce/source', ...(options.conditions ?? [])];
    },
  },
);
