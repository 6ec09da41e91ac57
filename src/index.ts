/** What other programs may import: the sandbox to test against, and the words of results. */
export { parseScenario, startSandbox, type Sandbox, type SandboxOptions } from './sandbox';
export type {
  BatchSummary,
  CertificateType,
  ResultRow,
  RowStatus,
} from './domain/certificates/certificates';
