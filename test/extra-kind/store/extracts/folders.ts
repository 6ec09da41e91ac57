import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const extractFolders: JobFolders = {
  root: 'extracts',
  word: 'extract',
  holds: [
    'what a registry says of a company or person',
    'o que um cadastro informa de uma empresa ou pessoa',
  ],
  fence: 'extract',
  goesWhole: true,
};
