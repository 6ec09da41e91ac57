/** One project a layer; `npm test` runs all but `long`. Titles are sentences. */
const layers = ['unit', 'property', 'contract', 'workflow', 'integration', 'long'];

const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
      module: { type: 'commonjs' },
      sourceMaps: 'inline',
    },
  ],
};

module.exports = {
  testTimeout: 30_000,
  projects: layers.map((layer) => ({
    displayName: layer,
    testMatch: [`<rootDir>/test/${layer}/**/*.test.ts`],
    transform,
    testEnvironment: 'node',
    extensionsToTreatAsEsm: [],
    ...(layer === 'workflow' || layer === 'integration' || layer === 'long'
      ? { globalSetup: '<rootDir>/test/support/servers-setup.ts' }
      : {}),
  })),
};
