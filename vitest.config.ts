import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

// Our packages are taken from their sources, so that tests need no build; those of others as Node takes them: what they keep under the
// condition `module` is for bundlers.
const conditions = ['@sendonce/source', ...defaultServerConditions.filter((condition) => condition !== 'module')];

const project = (name: string, include: string[], test: { globalSetup?: string[] } = {}) => ({
  extends: true as const,
  test: { name, include, ...test },
});

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    // A process takes the files of a project one after another, as its modules are loaded and compiled once then: that is half of the
    // time. What a file changes for all, it puts back.
    isolate: false,
    // Tests of real processes and servers wait more than they work: half as many more as there are cores keep these busy.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // oclif writes to the console; what it wrote is what the tests of the command line look at.
    disableConsoleIntercept: true,
    projects: [
      project('repo', ['test/**/*.test.ts']),
      project('examples', ['examples/**/*.test.ts'], { globalSetup: ['test/support/built-cli.ts'] }),
      project('core', ['packages/core/test/**/*.test.ts']),
      project('adapters', ['packages/adapters/test/**/*.test.ts']),
      project('chaos', ['packages/chaos/test/**/*.test.ts']),
      project('cli', ['packages/cli/test/**/*.test.ts'], { globalSetup: ['test/support/built-cli.ts'] }),
    ],
  },
});
