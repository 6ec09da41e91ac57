/** One lookup of a profile, as it was asked for: `profiles/<name>/<instant>/asked.json`. */
export interface ProfileRecord {
  /** `profile/<name>/<instant>`. */
  workId: string;
  /** Keyed name of the CPF. */
  name: string;
  /** Eleven digits. */
  cpf: string;
  /** A rural profile that timed out or failed is asked for once more: it may be charged for. */
  retryRural: boolean;
  createdAt: string;
  createdBy: string;
}

/** What workflow and activities hand each other about a lookup: nobody's data. */
export interface ProfileRef {
  workId: string;
  folder: string;
}

export const profileStatuses = [
  'found',
  /** A 200 that holds only `erro`. */
  'invalid',
  'not_found',
  'refused',
  'expired',
  'cancelled',
] as const;
export type ProfileStatus = (typeof profileStatuses)[number];

/** `failed`: the service told `rural: null`, which is a query that timed out or failed. */
export type RuralTold = 'told' | 'failed';

/** Rows of each section; null: the section was not told. */
export type SectionCounts = Record<
  'vehicles' | 'properties' | 'planes' | 'drones' | 'patents',
  number | null
>;

/** The second one is for a rural profile that timed out or failed. */
export const mostCalls = 2;

/** What one call brought. */
export type LookedUp =
  | { kind: 'found'; call: number; sha256: string; rural: RuralTold; counts: SectionCounts }
  | {
      kind: 'no';
      status: 'invalid' | 'not_found' | 'refused';
      code: string | null;
      message: string;
    };

/** How a lookup ended: `outcome.json`, and the result of its workflow. */
export interface ProfileOutcome {
  workId: string;
  status: ProfileStatus;
  rural: RuralTold | null;
  counts: SectionCounts | null;
  /** Of the answer that stands, as it came; null when there is none. */
  sha256: string | null;
  /** Number of the call that it came with: `answer-<call>.json`. */
  call: number | null;
  /** Calls that were answered with a profile: each may have been charged for. */
  answered: number;
  error: { code: string | null; message: string } | null;
  startedAt: string;
  settledAt: string;
}

export function profileWorkflowId(name: string): string {
  return `profile/${name}`;
}

export function profileFolder(workId: string): string {
  return workId.replace(/^profile\//, 'profiles/');
}

/** By what the service answers to the call itself. */
export function refusalOf(
  status: number,
  code: string | null,
  message: string,
): Extract<LookedUp, { kind: 'no' }> {
  const isMissing = status === 404 || code === 'NOT_FOUND';
  return { kind: 'no', status: isMissing ? 'not_found' : 'refused', code, message };
}
