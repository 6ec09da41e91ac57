/** Every kind of job that commands know. A new one is a line here. */
export { certificateBatchKind, certificateKind, decisionKind } from './certificates/kind';
export { analysisBatchKind, analysisKind } from './credit/kind';
export { dossierBatchKind, dossierKind } from './dossiers/kind';
export { investigationBatchKind, investigationKind } from './investigations/kind';
export { lensKind } from './lens/kind';
export { scanKind, sweepKind } from './monitors/kind';
export { profileBatchKind, profileKind } from './profiles/kind';
export { traceBatchKind, traceKind } from './traces/kind';
