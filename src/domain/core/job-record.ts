/** Names a job in its workflow and activities: no personal data. */
export interface JobRef {
  jobId: string;
  folder: string;
}

export interface JobInput {
  jobId: string;
  label?: string | null;
  /** `--rerun`: a new paid order. */
  rerun?: boolean;
  /** Milliseconds from start to outcome; in a batch, that of the batch. */
  deadlineMs?: number;
  createdAt: string;
  createdBy: string;
}

export interface JobError {
  code: string | null;
  message: string;
}

export interface OutcomeFields<Status extends string = string> {
  jobId: string;
  status: Status;
  error: JobError | null;
  startedAt: string;
  settledAt: string;
  /** Held data of the service, which has been erased. */
  erased?: true;
}
