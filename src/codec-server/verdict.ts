/** Result of checking a request's credential; `status` and reason answer a refused one. */
export type Verdict =
  { allowed: true; subject: string | null } | { allowed: false; status: 401 | 503; reason: string };
