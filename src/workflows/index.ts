/** Every workflow of the worker, by the name it is started with. */
export { analyzeCredit } from './credit/analyze-credit';
export { applyRetention } from './core/apply-retention';
export { certificateBatch } from './certificates/certificate-batch';
export { certificateLane } from './certificates/certificate-lane';
export { inquiryBatch } from './inquiry-batch';
export { issueCertificate } from './certificates/issue-certificate';
export { certificateResolve } from './certificates/certificate-resolve';
export { creditBatch } from './credit/credit-batch';
export { findEngine } from './credit/find-engine';
export { followDossier } from './dossiers/follow-dossier';
export { analyzeLens } from './lens/analyze-lens';
export { lookUpProfile } from './profiles/look-up-profile';
export { monitorSweep } from './monitors/monitor-sweep';
export { monitorScan } from './monitors/monitor-scan';
export { retryFailedDossiers } from './dossiers/retry-failed-dossiers';
export { searchTrace } from './traces/search-trace';
