/** What activities count, with the values of the labels that are known beforehand: these begin at 0. */
export const counters = {
  diligence_outcomes_total: {
    help: 'Outcomes stored by this worker, of jobs and of the rows of a batch of certificates. What is tried again, or decided on, has another.',
    labels: { kind: [], status: [] },
  },
  diligence_retries_total: {
    help: 'Requests for another attempt at a dossier: accepted, accepted as its status showed after the answer was lost (read_back), refused, not sent since somebody else had begun one (not_sent), or left open at the end of its job (unknown).',
    labels: {
      kind: ['dossier'],
      result: ['accepted', 'read_back', 'refused', 'not_sent', 'unknown'],
    },
  },
  diligence_changes_total: {
    help: 'Changes of monitors: stored for the first time (stored), taken by a sink (delivered), acknowledged by us (acknowledged) or by somebody else (acknowledged_elsewhere), not known to the service any more (gone), and items that cannot be read (unreadable).',
    labels: {
      event: [
        'stored',
        'delivered',
        'acknowledged',
        'acknowledged_elsewhere',
        'gone',
        'unreadable',
      ],
    },
  },
  diligence_changes_stuck_total: {
    help: 'Tries to bring a change through that failed, one for each sweep: at a sink (deliver) or at the service (acknowledge). `escalated`: it has failed so often that a person must look.',
    labels: { step: ['deliver', 'acknowledge'], escalated: ['true', 'false'] },
  },
  diligence_monitor_probes_total: {
    help: 'Probes of monitors by a scan: nothing to do (idle), a sweep is due (due), or it could not be had (failing).',
    labels: { result: ['idle', 'due', 'failing'] },
  },
  diligence_retention_jobs_total: {
    help: 'Jobs older than DILIGENCE_RETENTION lets them be that a run came to: erased, left since they run (under_way), or left since something of them may have been bought and nobody has decided (undecided).',
    labels: { result: ['erased', 'under_way', 'undecided'] },
  },
} as const satisfies Record<`diligence_${string}`, Counted>;

interface Counted {
  help: string;
  labels: Readonly<Record<string, readonly string[]>>;
}

export type CounterName = keyof typeof counters;

/** Counts. Cheap; throws nothing. */
export type Count = <Name extends CounterName>(
  name: Name,
  labels: { [Label in keyof Labels<Name>]: ValueOf<Labels<Name>[Label]> },
  by?: number,
) => void;

type Labels<Name extends CounterName> = (typeof counters)[Name]['labels'];
type ValueOf<List> = List extends readonly []
  ? string
  : List extends readonly (infer One)[]
    ? One
    : never;
