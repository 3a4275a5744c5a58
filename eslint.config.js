import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

// Core has no clock and no randomness of its own: the ports bring both. `src/system.ts` is the one file that is real.
const clock = 'Core has no clock of its own: use the Clock port.';
const random = 'Core draws nothing: use the Random or Ids port, or derive the id.';
const outside = 'Core does not reach outside: use a port.';

const realTimeAndRandomness = {
  'no-restricted-globals': [
    'error',
    ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'].map((name) => ({
      name,
      message: clock,
    })),
    { name: 'performance', message: clock },
    { name: 'crypto', message: random },
    { name: 'fetch', message: `${outside} Providers and queues do the talking.` },
    { name: 'process', message: `${outside} Settings come through the configuration.` },
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: clock },
    { object: 'AbortSignal', property: 'timeout', message: clock },
    { object: 'Math', property: 'random', message: random },
    ...['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues'].map((property) => ({ property, message: random })),
  ],
  'no-restricted-syntax': [
    'error',
    { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: clock },
    { selector: 'CallExpression[callee.name="Date"]', message: clock },
    { selector: 'MemberExpression[object.name="globalThis"]', message: outside },
  ],
  'no-restricted-imports': [
    'error',
    {
      paths: [
        { name: 'node:crypto', allowImportNames: ['createHash', 'createHmac', 'hash'], message: random },
        ...['node:timers', 'node:timers/promises', 'node:perf_hooks'].map((name) => ({ name, message: clock })),
        ...['node:process', 'node:fs', 'node:http', 'node:https', 'node:net'].map((name) => ({
          name,
          message: outside,
        })),
      ],
    },
  ],
};

export default defineConfig(
  globalIgnores(['**/dist/', '**/coverage/']),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    // One program for all files: a project service makes one per package, and checks what they import again in each.
    languageOptions: { parserOptions: { project: 'tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // Numbers and booleans read well inside a template; a port's method is async before it has something to await.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['packages/core/src/**/*.ts'],
    ignores: ['packages/core/src/system.ts'],
    rules: realTimeAndRandomness,
  },
  {
    files: ['**/test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['**/*.js'], languageOptions: { globals: { process: 'readonly', URL: 'readonly' } } },
);
