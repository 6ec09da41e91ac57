import type { JobFolders } from '../core/jobs/jobs-of-kind';

export const extractFolders: JobFolders = {
  root: 'extracts',
  word: 'extract',
  holds: 'what a registry says of a company or person',
  fence: 'extract',
  goesWhole: true,
};
