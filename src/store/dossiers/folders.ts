import type { JobFolders } from '../core/job-folders';

export const dossierFolders: JobFolders = {
  root: 'dossiers',
  word: 'dossier',
  holds: 'reports about a person, and notes of people',
  goesWhole: true,
};
