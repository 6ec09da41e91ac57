/** Imitations of the two services, to develop and test against. See docs/sandbox.md. */

export { sandboxCommand } from './command';
export { startSandbox } from './start-sandbox';
export type { Sandbox, SandboxOptions, SandboxState } from './start-sandbox';
export { parseScenario, ScenarioError } from './scenario';
export type { CreditPatch, MonitorPatch, Scenario, ScenarioInput, ScenarioPatch } from './scenario';
export type { CertificateCounts } from './certificates/certificate-counts';
export type { CertificateHeld } from './certificates/certificates';
export type { ReceivedRequest } from './engine/request-log';
export type { CallFaultKind, EndingKind, FaultKind } from './faults/fault-words';
export type { CreditState } from './credit/credit';
export type { OperationHeld } from './credit/operation-routes';
export type { CreditEndingKind, CreditFaultKind } from './credit/credit-fault-words';
export type { CreditReceived, OperationCounts } from './credit/credit-log';
export type { CreditNames, CreditNamesInput } from './credit/credit-names';
export type { PartReceived } from './credit/upload';
export type { MonitorCounts, MonitorReceived } from './monitors/monitor-log';
export type { ChangeHeld, MonitorHeld } from './monitors/monitors';
export type { MonitorFaultKind } from './monitors/monitor-fault-words';
export { seededMonitorId } from './monitors/monitor-shelf';
