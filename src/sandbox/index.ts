/** An imitation of the investigation service, to develop and test against. See docs/sandbox.md. */

export { sandboxCommand } from './command';
export { startSandbox } from './start-sandbox';
export type { Sandbox, SandboxOptions, SandboxState } from './start-sandbox';
export { parseScenario, ScenarioError } from './scenario';
export type { Scenario, ScenarioInput, ScenarioPatch } from './scenario';
export type { CertificateCounts } from './certificates/certificate-counts';
export type { CertificateHeld } from './certificates/certificates';
export type { ReceivedRequest } from './engine/request-log';
export type { CallFaultKind, EndingKind, FaultKind } from './faults/fault-words';
