import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const certificateFolders: JobFolders = {
  root: 'works',
  word: 'certificates',
  holds: [
    'names of files, labels, counts, notes of people',
    'nomes de arquivos, rótulos, totais, anotações de pessoas',
  ],
};
