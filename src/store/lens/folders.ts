import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const lensFolders: JobFolders = {
  root: 'lens',
  word: 'lens',
  holds: [
    'pictures, and what the service found in them',
    'imagens e o que o serviço encontrou nelas',
  ],
  goesWhole: true,
};
