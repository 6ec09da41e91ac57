/** One project a layer; `npm test` runs all but `long` and `full`. Titles are sentences. */
const layers = ['unit', 'property', 'contract', 'workflow', 'integration', 'long', 'full'];
const drawn = ['property', 'long', 'full'];
const withServers = ['workflow', 'integration', 'long', 'full'];

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

const common = {
  transform,
  transformIgnorePatterns,
  testEnvironment: 'node',
  // Looked up in jest's own context it takes half of the time of tests that draw much.
  sandboxInjectedGlobals: ['Math'],
  extensionsToTreatAsEsm: [],
};

/** What a store holds, on the other database too. */
const onPostgres = {
  displayName: 'postgres',
  testMatch: [
    '<rootDir>/test/unit/store/{attempts,audit-stays,changes,deferred-rows,erasure-draft,facts,job-batches,jobs,monitors,outcomes,records,rows,spending,subjects,works}.test.ts',
    '<rootDir>/test/property/{attempt-schedules,cooldown}.test.ts',
  ],
  globals: { onPostgres: true },
  setupFiles: ['<rootDir>/test/support/property-seed.ts'],
  globalSetup: '<rootDir>/test/support/postgres-setup.ts',
  globalTeardown: '<rootDir>/test/support/postgres-teardown.ts',
};

/** Whole work on the other database: one file of each kind, and in the full tests all that go there. */
const wholeWorks =
  process.env.LONG_TESTS === 'full'
    ? [
        'integration/{cancel-without-worker,certificate-*,interactive-during-batch,pause-and-cancel}',
        'integration/{retention,shared-wait,stopped-during-requests,terminated-works,token-revoked}',
        'integration/{credit-*,dossier-*,job-batches,monitor-*}',
        'long/{batch-broken-off,fuzz,frozen-worker,server-killed,slow-rows,thousand-rows}',
        'long/{worker-killed,*-under-faults,credit-worker-killed}',
        'long/{dossier-retry-failed,monitor-schedule-killed,monitor-soak}',
        'full/{audit-of-a-batch,*-under-faults,erase,*-worker-killed,dossier-terms}',
      ]
    : ['integration/{certificate-batch-again,credit-batches,dossier-retries,monitor-scan}'];

const worksOnPostgres = {
  displayName: 'works-on-postgres',
  testMatch: wholeWorks.map((files) => `<rootDir>/test/${files}.test.ts`),
  // What asks for a server of its own.
  testPathIgnorePatterns: ['/postgres-'],
  globals: { onPostgres: true },
  setupFiles: ['<rootDir>/test/support/property-seed.ts'],
  globalSetup: '<rootDir>/test/support/works-on-postgres-setup.ts',
  globalTeardown: '<rootDir>/test/support/works-on-postgres-teardown.ts',
};

module.exports = {
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  // A bound for what hangs, not for what is slow.
  testTimeout: 60_000,
  // Two cores; how many where there are servers: `scripts/run-layers.ts`.
  maxWorkers: 3,
  projects: layers
    .map((layer) => ({
      displayName: layer,
      testMatch: [`<rootDir>/test/${layer}/**/*.test.ts`],
      ...common,
      ...(drawn.includes(layer) ? { setupFiles: ['<rootDir>/test/support/property-seed.ts'] } : {}),
      ...(withServers.includes(layer)
        ? {
            globalSetup: '<rootDir>/test/support/servers-setup.ts',
            globalTeardown: '<rootDir>/test/support/servers-teardown.ts',
          }
        : {}),
    }))
    .concat([onPostgres, worksOnPostgres].map((project) => ({ ...common, ...project }))),
};
