import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const sweepFolders: JobFolders = {
  root: 'sweeps',
  word: 'sweep',
  holds: ['counts, and what a sweep met', 'totais e o que uma varredura encontrou'],
};

export const scanFolders: JobFolders = { root: 'scans', word: 'scan', holds: ['counts', 'totais'] };
