/**
 * Who may import whom. Arrows run one way: domain <- apis, store <- sinks <- activities <- workers; workflows see
 * domain and the types of activities; starters see domain, sheets, receivables, report, store, temporal and the
 * messages of workflows; store alone speaks SQL;
 * protection (keys, seals, masking) is seen by all who keep or tell something;
 * the sandbox stands alone.
 */
const rooms = {
  domain: [],
  protection: ['domain'],
  environment: ['apis/assumptions', 'domain', 'protection'],
  apis: ['domain', 'protection'],
  store: ['domain', 'protection'],
  sheets: ['domain'],
  receivables: ['domain'],
  report: ['domain', 'protection'],
  temporal: ['domain', 'environment', 'store', 'protection'],
  sinks: ['domain', 'store', 'environment', 'protection', 'apis/http'],
  activities: ['domain', 'apis', 'store', 'sinks', 'protection'],
  workflows: ['domain'],
  workers: [
    'domain',
    'environment',
    'apis',
    'store',
    'sinks',
    'activities',
    'temporal',
    'protection',
  ],
  starters: [
    'domain',
    'environment',
    'sheets',
    'receivables',
    'report',
    'store',
    'temporal',
    'workflows',
    'protection',
    'apis/assumptions',
    // Rule engines are few and cost nothing: commands about them need no workflow.
    'apis/credit',
    'apis/http',
    // So is the change of a monitor.
    'apis/investigation',
    'codec-server',
  ],
  'codec-server': ['domain', 'environment', 'store', 'temporal', 'protection'],
  doctor: ['domain', 'environment', 'apis', 'store', 'temporal', 'protection'],
  sandbox: [],
};

/** What speaks SQL, and what it stands on. */
const database =
  '^src/store/((postgres|sqlite)/|(blobs|database|migrations|pages|sealed/sealed-database|statement)\\.ts$)';

/**
 * `import type` of activities stands in one file a resource, `workflows/<resource>/activities.ts`;
 * the linter sees to it that it is a type import (this tool cannot tell under TypeScript 7).
 */
const mayNameActivities = '^src/workflows/[a-z]+/[a-z-]*activities\\.ts$';

/** What stands in core and knows certificates above all: to be parted. */
const namesResourcesStill =
  '^src/(domain/core/documents/held-documents|store/core/row-writer)\\.ts$';

/** A folder each in every layer. */
const resources = '(certificates|credit|monitors|dossiers|traces|lens|profiles|investigations)';

const arrows = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-imports`,
  severity: 'error',
  comment: `${room} may import ${allowed.join(', ') || 'nothing of src but itself'}.`,
  from: {
    path: `^src/${room}(/|\\.ts$)`,
    ...(room === 'workflows' && { pathNot: mayNameActivities }),
  },
  to: {
    path: '^src/',
    pathNot: [room, ...allowed].map((name) => `^src/${name}(/|\\.ts$)`),
  },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'workflows-name-activities',
      severity: 'error',
      comment: 'the files that name activities see domain and activities, nothing else.',
      from: { path: mayNameActivities },
      to: { path: '^src/', pathNot: '^src/(domain|activities|workflows)/' },
    },
    {
      name: 'store-alone-speaks-sql',
      severity: 'error',
      comment: 'others ask the repositories of the store.',
      from: { path: '^src/', pathNot: '^src/store/' },
      to: { path: database },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment: 'domain holds plain types and pure rules: no packages, no Node.',
      from: { path: '^src/domain/' },
      to: { dependencyTypes: ['npm', 'core'] },
    },
    {
      name: 'workflows-are-deterministic',
      severity: 'error',
      comment: 'workflow code may use @temporalio/workflow and @temporalio/common only.',
      from: { path: '^src/workflows/' },
      to: {
        dependencyTypes: ['npm', 'core'],
        pathNot: 'node_modules/@temporalio/(workflow|common)/',
      },
    },
    {
      name: 'resources-stand-apart',
      severity: 'error',
      comment: 'no resource imports another; what two of them need stands in core.',
      // An investigation is made of jobs of all of them.
      from: { path: `^src/[a-z]+/${resources}/`, pathNot: '^src/[a-z]+/investigations/' },
      to: { path: `^src/[a-z]+/${resources}/`, pathNot: '^src/[a-z]+/$1/' },
    },
    {
      name: 'core-names-no-resource',
      severity: 'error',
      comment: 'what only one of them needs stands with it.',
      from: {
        path: '^src/([a-z]+/(core|cli|jobs)|sandbox/(http|faults))/',
        pathNot: namesResourcesStill,
      },
      to: { path: `^src/[a-z]+/${resources}/` },
    },
    {
      name: 'jobs-know-no-terminal',
      severity: 'error',
      comment: 'the command line and other programs call the same use cases.',
      from: { path: '^src/starters/jobs/' },
      to: { path: '^src/starters/cli/' },
    },
    {
      name: 'library-knows-no-terminal',
      severity: 'error',
      comment: 'a program that uses the library is not printed over, nor ended.',
      from: { path: '^src/starters/library/' },
      to: { path: '^src/starters/cli/', reachable: true },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      conditionNames: ['node', 'require', 'default'],
    },
  },
};
