/** Imitations of the two services, to develop and test against. See docs/sandbox.md. */

export { sandboxCommand } from './command';
export { startSandbox } from './start-sandbox';
export type { Sandbox, SandboxOptions } from './start-sandbox';
export { parseScenario } from './scenario';
export type { CreditPatch, MonitorPatch, ScenarioInput, ScenarioPatch } from './scenario';
export { ScenarioError } from './core/scenario-parts';
export type { FaultKind } from './faults/faults';
export type { Received } from './http/request-log';
export type { CertificateEnding } from './certificates/certificate-scenario';
export type { CreditNames, CreditNamesInput } from './credit/credit-scenario';
export { seededMonitorId } from './monitors/monitor-shelf';
export { seededDossierId } from './dossiers/dossiers';
