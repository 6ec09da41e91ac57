import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const profileFolders: JobFolders = {
  root: 'profiles',
  word: 'profile',
  holds: ['a CPF, and the assets of a person', 'um CPF e o patrimônio de uma pessoa'],
  fence: 'profile',
  isReport: true,
};
