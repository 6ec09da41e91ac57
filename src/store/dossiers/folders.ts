import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const dossierFolders: JobFolders = {
  root: 'dossiers',
  word: 'dossier',
  holds: [
    'reports about a person, and notes of people',
    'relatórios sobre uma pessoa e anotações de pessoas',
  ],
  goesWhole: true,
};
