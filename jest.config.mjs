// Projects by what must be built before: unit (nothing), package (dist/), native (native programs too), and the browser suites, which
// drive a headless Chromium themselves.
import { generateFacts } from './scripts/generate_facts.mjs';
import { slownessFrom } from './scripts/toolchain/slowness.mjs';
import { suitesByNeed } from './scripts/toolchain/suite_needs.mjs';

// The model of commands without --model.
process.env.SUSURRUS_MODEL = 'digits';

generateFacts(); // suites import modules of web/src as they are

const common = {
  rootDir: import.meta.dirname,
  // Only these are searched for tests and packages; the toolchain alone has a hundred thousand files.
  roots: ['<rootDir>/tests', '<rootDir>/web'],
  testEnvironment: '<rootDir>/tests/support/jest_environment.mjs',
  testEnvironmentOptions: { globalsCleanup: 'off' },
  dependencyExtractor: '<rootDir>/tests/support/jest_dependencies.cjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$|/(scripts|dist)/.*\\.mjs$': '<rootDir>/tests/support/esbuild_transform.mjs',
  },
  resolver: '<rootDir>/tests/support/jest_resolver.cjs',
  setupFilesAfterEnv: ['<rootDir>/tests/support/quick_equality.mjs'],
};

export default {
  // Jest reads this one here only, not from a project. Against hangs: a slow machine has more (tests/support/limits.ts).
  testTimeout: 60_000 * slownessFrom(process.env.SUSURRUS_TEST_SLOWNESS),
  projects: [
    ...Object.entries(suitesByNeed()).map(([displayName, suites]) => ({
      ...common,
      displayName,
      testMatch: suites.map((path) => `<rootDir>/${path}`),
    })),
    {
      ...common,
      displayName: 'browser',
      testMatch: ['<rootDir>/tests/browser/**/*.test.ts'],
    },
  ],
};
