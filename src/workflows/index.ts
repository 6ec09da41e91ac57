/** Every workflow of the worker, by the name it is started with. */
export { analyzeCredit } from './analyze-credit';
export { applyRetention } from './apply-retention';
export { certificateBatch } from './certificate-batch';
export { certificateLane } from './certificate-lane';
export { inquiryBatch } from './inquiry-batch';
export { issueCertificate } from './issue-certificate';
export { certificateResolve } from './certificate-resolve';
export { creditBatch } from './credit-batch';
export { findEngine } from './find-engine';
export { followDossier } from './follow-dossier';
export { analyzeLens } from './analyze-lens';
export { lookUpProfile } from './look-up-profile';
export { monitorSweep } from './monitor-sweep';
export { monitorWatch } from './monitor-watch';
export { retryFailedDossiers } from './retry-failed-dossiers';
export { searchTrace } from './search-trace';
