/** Jobs by resource: where they are stored. A new one is a line here. */
export { certificateJobs } from './certificates/jobs';
export { analysisJobs } from './credit/analyses';
export { dossierJobs } from './dossiers/dossiers';
export { lensJobs } from './lens/lens';
export { scanJobs, sweepJobs } from './monitors/passes';
export { profileJobs } from './profiles/profiles';
export { traceJobs } from './traces/traces';
