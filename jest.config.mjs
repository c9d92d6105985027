import { slownessFrom } from './scripts/toolchain/slowness.mjs';

// Two projects: everything in Node, and the browser suites, which drive a headless Chromium themselves.
import { generateFacts } from './scripts/generate_facts.mjs';

generateFacts(); // suites import modules of web/src as they are

const common = {
  rootDir: import.meta.dirname,
  // Only these are searched for tests and packages; the toolchain alone has a hundred thousand files.
  roots: ['<rootDir>/tests', '<rootDir>/web'],
  testEnvironment: 'node',
  testEnvironmentOptions: { globalsCleanup: 'off' },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$|/(scripts|dist)/.*\\.mjs$': '<rootDir>/tests/support/esbuild_transform.mjs',
  },
  resolver: '<rootDir>/tests/support/jest_resolver.cjs',
};

export default {
  // Jest reads this one here only, not from a project. Against hangs: a slow machine has more (tests/support/limits.ts).
  testTimeout: 60_000 * slownessFrom(process.env.SUSURRUS_TEST_SLOWNESS),
  projects: [
    {
      ...common,
      displayName: 'node',
      testMatch: ['<rootDir>/tests/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/browser/'],
    },
    {
      ...common,
      displayName: 'browser',
      testMatch: ['<rootDir>/tests/browser/**/*.test.ts'],
    },
  ],
};
