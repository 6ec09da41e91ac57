/** Every workflow of the worker, by the name it is started with. */
export { analyzeCredit } from './credit/analyze-credit';
export { applyRetention } from './core/apply-retention';
export { certificateBatch } from './certificates/certificate-batch';
export { certificateLane } from './certificates/certificate-lane';
export { issueCertificate } from './certificates/issue-certificate';
export { certificateResolve } from './certificates/certificate-resolve';
export { renewCertificates } from './certificates/renew-certificates';
export { followDossier } from './dossiers/follow-dossier';
export { analyzeLens } from './lens/analyze-lens';
export { investigateSubject } from './investigations/investigate-subject';
export { jobBatch } from './job-batch';
export { lookUpProfile } from './profiles/look-up-profile';
export { monitorSweep } from './monitors/monitor-sweep';
export { monitorScan } from './monitors/monitor-scan';
export { searchTrace } from './traces/search-trace';
