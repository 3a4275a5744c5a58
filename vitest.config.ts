import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

// Our packages are taken from their sources, so that tests need no build.
const conditions = ['@sendonce/source', ...defaultServerConditions];

const project = (name: string, include: string[], test: { globalSetup?: string[] } = {}) => ({
  extends: true as const,
  test: { name, include, ...test },
});

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
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
