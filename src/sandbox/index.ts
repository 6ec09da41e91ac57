/** Imitations of the two services, to develop and test against. See docs/sandbox.md. */

export { sandboxCommand } from './command';
export { startSandbox } from './start-sandbox';
export type { Sandbox, SandboxOptions, SandboxState } from './start-sandbox';
export { parseScenario } from './scenario';
export type { CreditPatch, MonitorPatch, Scenario, ScenarioInput, ScenarioPatch } from './scenario';
export { ScenarioError } from './core/scenario-parts';
export type { FaultKind } from './faults/fault-words';
export type { PartReceived, Received } from './http/request-log';
export type { KeySeen } from './http/idempotency-keys';
export type { CertificateEnding } from './certificates/certificate-scenario';
export type { CertificateCounts, CertificateHeld } from './certificates/certificates';
export type { CreditState } from './credit/credit';
export type { CreditEnding } from './credit/credit-scenario';
export type { CreditNames, CreditNamesInput } from './credit/credit-names';
export type { OperationCounts, OperationHeld } from './credit/operation-routes';
export type { ChangeHeld, MonitorCounts, MonitorHeld } from './monitors/monitors';
export { seededMonitorId } from './monitors/monitor-shelf';
export type { DossierCounts, DossierHeld } from './dossiers/dossiers';
export { seededDossierId } from './dossiers/dossier-shelf';
export type { LensCounts, LensHeld } from './lens/lens';
export type { ProfileCounts } from './profiles/profiles';
export type { TraceCounts, TraceHeld } from './traces/traces';
