import type { JobFolders } from '../core/job-folders';

export const traceFolders: JobFolders = {
  root: 'traces',
  word: 'trace',
  holds: 'a target, and what was found about it',
  fence: 'trace',
  isReport: true,
};
