/** Every kind of job that commands know. A new one is a line here. */
export { certificateBatchKind, certificateKind, decisionKind } from './certificates/kind';
export { analysisKind } from './credit/kind';
export { analysisBatchKind } from './credit/kind';
export { dossierKind } from './dossiers/kind';
export { dossierBatchKind } from './dossiers/kind';
export { investigationKind } from './investigations/kind';
export { investigationBatchKind } from './investigations/kind';
export { lensKind } from './lens/kind';
export { scanKind, sweepKind } from './monitors/kind';
export { profileKind } from './profiles/kind';
export { profileBatchKind } from './profiles/kind';
export { traceKind } from './traces/kind';
export { traceBatchKind } from './traces/kind';
