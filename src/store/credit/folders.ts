import type { JobFolders } from '../core/job-folders';

export const analysisFolders: JobFolders = {
  root: 'analyses',
  word: 'analysis',
  holds: 'names of files, reasons of people, counts, sums',
  fence: 'credit',
};
