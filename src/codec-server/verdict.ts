/** What became of the credential of a request; `status` and reason are the answer to a refused one. */
export type Verdict =
  { allowed: true; subject: string | null } | { allowed: false; status: 401 | 503; reason: string };
