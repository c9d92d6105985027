// Two projects: everything in Node, and the browser suites, which drive a headless Chromium themselves.
const common = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/tests/support/esbuild_transform.mjs' },
  resolver: '<rootDir>/tests/support/jest_resolver.cjs',
  // Built files are imported as they are; the package's own names do not collide with build folders.
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/.toolchain/', '<rootDir>/dist/'],
};

export default {
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
  testTimeout: 60_000,
};
