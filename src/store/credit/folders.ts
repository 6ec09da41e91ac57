import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const analysisFolders: JobFolders = {
  root: 'analyses',
  word: 'analysis',
  holds: [
    'names of files, reasons of people, counts, sums',
    'nomes de arquivos, justificativas, totais, somas',
  ],
  fence: 'credit',
};
