/** Every workflow of the worker, by the name it is started with. */
export { analyzeCredit } from './analyze-credit';
export { certificateBatch } from './certificate-batch';
export { certificateLane } from './certificate-lane';
export { issueCertificate } from './issue-certificate';
export { certificateResolve } from './certificate-resolve';
export { creditBatch } from './credit-batch';
export { findEngine } from './find-engine';
export { monitorSweep } from './monitor-sweep';
export { monitorWatch } from './monitor-watch';
