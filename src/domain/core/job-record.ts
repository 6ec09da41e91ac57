/** Names a job in its workflow and activities: no personal data. */
export interface JobRef {
  jobId: string;
  folder: string;
}

/** What the input of every job has. */
export interface JobInput {
  /** `<prefix>/<name>/<instant>`. */
  jobId: string;
  label?: string | null;
  /** `--rerun`: a new paid order. */
  rerun?: boolean;
  /** Milliseconds from start to outcome; in a batch, that of the batch. */
  deadlineMs?: number;
  createdAt: string;
  createdBy: string;
}

/** An error of the service or of ours, for people. */
export interface JobError {
  code: string | null;
  message: string;
}

/** What the outcome of every job has; it is the result of its workflow too. */
export interface OutcomeFields<Status extends string = string> {
  jobId: string;
  status: Status;
  error: JobError | null;
  startedAt: string;
  settledAt: string;
  /** Held data of the service, which has been erased. */
  erased?: true;
}
