import { mkdir } from 'node:fs/promises';
import { TraceRepository } from '../../store/traces/traces';
import { traceSubject } from '../../domain/core/service/attempts';
import { billed } from '../../domain/core/service/billing-totals';
import { traceWorkflowId, type TraceOutcome, type TraceRecord } from '../../domain/traces/search';
import { maskTarget } from '../../domain/traces/target';
import { askedFor, type Charge, type JobKind } from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { billingWords, factLines } from '../jobs/text';
import { writeWhole } from '../jobs/written-file';
import { traceFindings } from './findings';

const words = {
  completed: 'completed',
  failed: 'failed at the service',
  cancelled: 'cancelled',
  refused: 'refused by the service',
  expired: 'expired: it had not settled at the deadline; the same command goes on with it',
  unknown_outcome:
    'unknown outcome: a request may have arrived; the same command asks again with the same key, and buys nothing twice',
} as const;

export const traceKind: JobKind<TraceRecord, TraceOutcome> = {
  kind: 'trace',
  prefix: 'trace/',
  noun: 'search for',
  service: 'investigation',
  workflowId: ({ name }) => traceWorkflowId(name),
  describe: ({ target }) => maskTarget(target),
  terms: ({ deadlineMs, label, rerun }) => ({ deadline: deadlineMs, label, rerun }),
  readProgress: progressOfOne,
  lines: ({ outcome: { status, seen, traceId, error } }) => {
    const facts: [string, string | null][] = [
      ['search', traceId],
      ['type', seen?.type ?? null],
      ['sha256', seen?.sha256 ?? null],
      ['billing', billingWords(seen?.billing ?? null)],
      ['error', error === null ? null : `${error.code ?? '-'}: ${error.message}`],
      ...Object.entries(seen?.sources ?? {}).map(([name, word]): [string, string] => [
        'source',
        `${name}: ${word}`,
      ]),
    ];
    return [
      `${words[status]}${seen?.partial === true ? ' (partial: some sources did not answer)' : ''}`,
      ...factLines(facts),
    ];
  },
  findings: traceFindings,
  artifacts: ({ outcome: { seen } }) =>
    seen === null || seen.sha256 === null
      ? []
      : [
          {
            name: 'trace.json',
            bytes: null,
            sha256: seen.sha256,
            mediaType: 'application/json',
          },
        ],
  cost: ({ outcome }) => billed(chargesOf(outcome).map(({ billing }) => billing)),
  charges: ({ outcome }) => chargesOf(outcome),
  asked: (job, ctx) => askedFor(ctx, traceSubject(job.input.name), job),
  heeds: ['lang'],
  export: async ({ store }, { folder: from }, folder) => {
    const answer = await new TraceRepository(store).answer(from);
    if (answer === null) return [];
    await mkdir(folder, { recursive: true });
    await writeWhole(folder, 'trace.json', answer);
    return ['trace.json'];
  },
  resolver: () => (require('./resolve') as typeof import('./resolve')).traceResolver,
  orders: ['cancel', 'cancel_now'],
};

function chargesOf({ seen, traceId }: TraceOutcome): Charge[] {
  return [{ of: `trace/${traceId}`, billing: seen?.billing ?? null }];
}
