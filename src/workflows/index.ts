/** Every workflow of the worker, by the name it is started with. */
export { certificateBatch } from './certificate-batch';
export { certificateLane } from './certificate-lane';
export { issueCertificate } from './issue-certificate';
export { certificateResolve } from './certificate-resolve';
