import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const traceFolders: JobFolders = {
  root: 'traces',
  word: 'trace',
  holds: 'a target, and what was found about it',
  fence: 'trace',
  isReport: true,
};
