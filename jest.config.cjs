/** One project a layer; `npm test` runs all but `long`. Titles are sentences. */
const layers = ['unit', 'property', 'contract', 'workflow', 'integration', 'long'];

const swc = [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];
// jose is an ES module alone, which jest does not load as it stands.
const transform = { '^.+\\.ts$': swc, '/node_modules/jose/.+\\.js$': swc };
const transformIgnorePatterns = ['/node_modules/(?!jose/)'];

module.exports = {
  // A bound for what hangs, not for what is slow.
  testTimeout: 60_000,
  // Most of the long ones wait for servers: two cores are enough for two, and one would stand idle.
  maxWorkers: 2,
  projects: layers.map((layer) => ({
    displayName: layer,
    testMatch: [`<rootDir>/test/${layer}/**/*.test.ts`],
    transform,
    transformIgnorePatterns,
    testEnvironment: 'node',
    extensionsToTreatAsEsm: [],
    ...(layer === 'property' || layer === 'long'
      ? { setupFiles: ['<rootDir>/test/support/property-seed.ts'] }
      : {}),
    ...(layer === 'workflow' || layer === 'integration' || layer === 'long'
      ? {
          globalSetup: '<rootDir>/test/support/servers-setup.ts',
          globalTeardown: '<rootDir>/test/support/servers-teardown.ts',
        }
      : {}),
  })),
};
