/** What other programs may import: jobs of every kind, and the sandbox to test against. */
export { connect } from './starters/library/connect';
export type * from './starters/library/api';
export { CommandError, UsageError } from './starters/jobs/errors';
export { ConfigError } from './environment';
export { parseScenario, startSandbox, type Sandbox, type SandboxOptions } from './sandbox';
export type {
  BatchSummary,
  CertificateType,
  ResultRow,
  RowStatus,
} from './domain/certificates/certificates';
