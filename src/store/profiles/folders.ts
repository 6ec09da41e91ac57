import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const profileFolders: JobFolders = {
  root: 'profiles',
  word: 'profile',
  holds: 'a CPF, and the assets of a person',
  fence: 'profile',
  isReport: true,
};
