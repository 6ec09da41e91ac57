import type { JobFolders } from '../core/job-folders';

export const workFolders: JobFolders = {
  root: 'works',
  word: 'certificates',
  holds: 'names of files, labels, counts, notes of people',
};
