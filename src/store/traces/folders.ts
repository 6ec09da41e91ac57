import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const traceFolders: JobFolders = {
  root: 'traces',
  word: 'trace',
  holds: ['a target, and what was found about it', 'um alvo e o que se encontrou sobre ele'],
  fence: 'trace',
  isReport: true,
};
