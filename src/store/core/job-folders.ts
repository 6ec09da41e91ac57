/** Where jobs of one resource stand, and what an erasure must know of it. */
export interface JobFolders {
  /** First word of their folders. */
  root: string;
  /** Word in plans and erasure records. */
  word: string;
  /** What in it is of a person: shown with a plan. */
  holds: string;
  /** First word of the subjects that its jobs have bought together: they go with the last of them. */
  fence?: string;
  /** The service reported on a person: entries that name another subject go from it. */
  isReport?: true;
  /** Files of a person that cannot be rewritten: a job about a subject goes as a whole. */
  goesWhole?: true;
}
