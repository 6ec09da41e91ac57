import { mkdir } from 'node:fs/promises';
import { TraceRepository } from '../../store/traces/traces';
import { traceSubject } from '../../domain/core/service/attempts';
import { billed } from '../../domain/core/service/billing-totals';
import type { Words } from '../../domain/job';
import { type TraceOutcome, type TraceRecord } from '../../domain/traces/search';
import type { TraceStatus } from '../../domain/traces/kinds';
import { maskTarget } from '../../domain/traces/target';
import { stateWord } from '../../report/words';
import { CommandError } from '../jobs/errors';
import { requestedFor, type Charge, type JobKind } from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { billingWords, errorWords, factLines } from '../jobs/text';
import { writeWhole } from '../jobs/written-file';
import { traceFindings } from './findings';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { billedCharges } from '../jobs/batches/rules';

const words: Record<TraceStatus, Words> = {
  completed: ['completed', 'concluído'],
  failed: ['failed at the service', 'falhou no serviço'],
  cancelled: ['cancelled', 'cancelado'],
  refused: ['refused by the service', 'recusado pelo serviço'],
  expired: [
    'expired: it had not settled at the deadline; the same command goes on with it',
    'prazo esgotado: não tinha terminado; o mesmo comando continua',
  ],
  unknown_outcome: [
    'unknown outcome: a request may have arrived; the same command sends it again with the same key, and buys nothing twice',
    'resultado desconhecido: um pedido pode ter chegado; o mesmo comando pede de novo com a mesma chave, e não compra nada duas vezes',
  ],
};

export const traceKind: JobKind<TraceRecord, TraceOutcome> = {
  kind: 'trace',
  prefix: 'trace/',
  noun: ['search for', 'busca de'],
  service: 'investigation',
  workflowId: ({ name }) => `trace/${name}`,
  describe: ({ target }) => maskTarget(target),
  terms: ({ deadlineMs, label, rerun }) => ({ deadline: deadlineMs, label, rerun }),
  readProgress: progressOfOne,
  lines: ({ outcome: { status, seen, traceId, error } }, { reader }) => {
    const { language, say } = reader;
    const facts: [string, string | null][] = [
      [say('search', 'busca'), traceId],
      ['sha256', seen?.sha256 ?? null],
      [say('billing', 'cobrança'), billingWords(seen?.billing ?? null, reader)],
      [say('error', 'erro'), errorWords(error, reader)],
      ...Object.entries(seen?.sources ?? {}).map(([name, word]): [string, string] => [
        say('source', 'fonte'),
        `${name}: ${stateWord(word, language)}`,
      ]),
    ];
    const partly = say(
      ' (partial: some sources did not answer)',
      ' (parcial: algumas fontes não responderam)',
    );
    return [`${say(...words[status])}${seen?.partial === true ? partly : ''}`, ...factLines(facts)];
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
  workflow: 'searchTrace',
  args: () => ({ interactive: true }),
  subject: (_, { input }) => traceSubject(input.name),
  requests: (job, ctx) => requestedFor(ctx, traceSubject(job.input.name), job),
  heeds: ['lang'],
  export: async ({ store }, { folder: from }, folder) => {
    const answer = await new TraceRepository(store).answer(from);
    if (answer === null) return [];
    await mkdir(folder, { recursive: true });
    await writeWhole(folder, 'trace.json', answer);
    return ['trace.json'];
  },
  async checkResolution({ store }, { id, input }, { externalId }) {
    const holder = externalId === null ? null : await store.attempts.holderOfTrace(externalId);
    if (holder !== null && holder !== traceSubject(input.name))
      throw new CommandError([
        `${id}: the search ${externalId} was made for another target`,
        `${id}: a busca ${externalId} foi feita para outro alvo`,
      ]);
  },
  orders: ['cancel', 'cancel_now'],
};

function chargesOf({ seen, traceId }: TraceOutcome): Charge[] {
  return [{ of: `trace/${traceId}`, billing: seen?.billing ?? null }];
}

export const traceBatchKind = jobBatchKind({
  kind: 'trace-batch',
  service: 'investigation',
  noun: ['searches', 'buscas'],
  unstarted: 'lost',
  columns: [
    'trace_id',
    'type',
    'partial',
    'sources',
    'billing_status',
    'billing_amount',
    'sha256',
    'billing_unit',
  ],
  chargeColumns: ['billing_status', 'billing_amount', 'billing_unit'],
  charges: billedCharges,
  child: traceKind,
  shown: ({ seen, traceId }) => {
    const billing = seen?.billing ?? null;
    const sources = Object.entries(seen?.sources ?? {}).map(([name, word]) => `${name}: ${word}`);
    const cells = {
      trace_id: traceId,
      type: seen?.type ?? null,
      partial: seen?.partial ?? null,
      sources: sources.length === 0 ? null : sources.join(' | '),
      billing_status: billing?.status ?? null,
      billing_amount: billing?.amount ?? null,
      billing_unit: billing?.unit ?? null,
      sha256: seen?.sha256 ?? null,
    };
    return { cells, billing: [billing] };
  },
  answer: (store, { folder }) => new TraceRepository(store).answer(folder),
});
