import { openDecisions } from '../../store/core/jobs/inbox';
import { join } from 'node:path';
import { CertificateJobs, type LatestEdition } from '../../store/certificates/jobs';
import {
  rowStatuses,
  type BatchSummary,
  type StoredResultRow,
} from '../../domain/certificates/certificates';
import { certificateFolder, type CertificateRecord } from '../../domain/certificates/job';
import type { DecisionRecord } from '../../domain/core/decision';
import type { CommandContext } from '../jobs/context';
import type { RequestCounts, JobKind } from '../jobs/job-kind';
import { errorWords, factLines } from '../jobs/text';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { workflowIdOf } from '../../domain/job';
import { cancelLanes, batchProgress, issuanceProgress } from './progress';
import { pdfName, summaryDocument, batchFindings, printedRows } from './rows';

const folderWriter = () => require('./result-folder') as typeof import('./result-folder');

type CertificateKind = JobKind<CertificateRecord, LatestEdition>;

const termsOf: CertificateKind['terms'] = ({ label, rerun, terms }) => {
  const { budget, concurrency, onUnknown, rowDeadlineMs: deadline } = terms ?? {};
  return { rerun, deadline, label, onUnknown, concurrency, budget };
};

/** One issuance is a batch of one row. */
export const certificateKind: CertificateKind = {
  kind: 'certificate',
  noun: ['certificate', 'certidão'],
  service: 'certificates',
  workflowId: (_, id) => workflowIdOf(id),
  describe: ({ type }) => type ?? '',
  terms: termsOf,
  readProgress: issuanceProgress,
  lines: async ({ folder }, ctx) => issuanceLines(await onlyRow(ctx, folder), ctx.reader),
  report: async (ctx, { folder, outcome }) => {
    const { pdfKey: _, ...row } = await onlyRow(ctx, folder);
    const fact = row.certidaoId === null ? null : await ctx.store.facts.of(row.certidaoId);
    const { auditHead = null } = outcome.summary;
    return { ...row, result: fact?.answer ?? null, auditHead };
  },
  artifacts: async ({ folder }, ctx) => {
    const row = await onlyRow(ctx, folder);
    if (row.pdfKey === null) return [];
    const name = `pdf/${pdfName(row, row.pdfKey, 'id')}`;
    return [{ name, bytes: null, sha256: row.sha256, mediaType: 'application/pdf' }];
  },
  requests: ({ outcome: { summary } }) => requestsIn(summary),
  heeds: ['excel', 'lang', 'pdfNames'],
  export: async (ctx, { folder: from, outcome }, folder, options) =>
    folderWriter().writeResultFolder(ctx, from, outcome.summary, { ...options, folder }),
  resolver: () => (require('./resolve') as typeof import('./resolve')).certificateResolver,
  orders: ['cancel', 'cancel_now', 'resume'],
};

export const certificateBatchKind: CertificateKind = {
  ...certificateKind,
  kind: 'certificate-batch',
  noun: ['certificates of', 'certidões de'],
  describe: ({ inputName, items }, say) =>
    inputName ?? say(`renewal of ${items}`, `renovação de ${items}`),
  readProgress: batchProgress,
  lines: async ({ folder, outcome }, ctx) => [
    ...batchLines(outcome.summary, ctx.reader),
    ...(await openDecisions(ctx.store, folder, outcome.edition)).map((number) =>
      ctx.reader.say(
        `  decision ${number} has not ended: the counts are those before it`,
        `  a decisão ${number} não terminou: as contagens são as de antes dela`,
      ),
    ),
  ],
  report: async (ctx, { folder: from, id, outcome }, folder) => {
    const open = await openDecisions(ctx.store, from, outcome.edition);
    const openDecisionIds = open.map((number) => `${id}/decision-${number}`);
    return { ...batchReport(outcome.summary, folder), openDecisionIds };
  },
  artifacts: () => [],
  findings: batchFindings,
  exportSoFar: async (ctx, job, folder, options) =>
    folderWriter().writeResultSoFar(ctx, job, { ...options, folder }),
  rows: ({ store }, { folder }) => printedRows(store, folder),
  orders: ['cancel', 'cancel_now', 'pause', 'resume'],
  giveOthers: cancelLanes,
};

/** A person's resolution of rows; it shows the batch after it. */
export const decisionKind: JobKind<DecisionRecord, BatchSummary> = {
  kind: 'decision',
  noun: ['decision:', 'decisão:'],
  service: 'certificates',
  workflowId: (_, id) => id,
  describe: ({ action, rows }, say) =>
    say(`${action} of rows: ${rows.length}`, `${stateWord(action, 'pt')}, linhas: ${rows.length}`),
  terms: () => ({}),
  readProgress: batchProgress,
  lines: ({ outcome }, { reader }) => batchLines(outcome, reader),
  report: async (_, { outcome }, folder) => batchReport(outcome, folder),
  requests: ({ outcome }) => requestsIn(outcome),
  heeds: certificateBatchKind.heeds,
  rows: ({ store }, { id }) => printedRows(store, jobDecidedOn(id)),
  export: async (ctx, { id, outcome }, folder, options) =>
    folderWriter().writeResultFolder(ctx, jobDecidedOn(id), outcome, { ...options, folder }),
  resolver: () =>
    (require('../jobs/decide/resolve') as typeof import('../jobs/decide/resolve')).nothingGoesOn,
  orders: certificateBatchKind.orders,
  giveOthers: cancelLanes,
};

function jobDecidedOn(id: string): string {
  return certificateFolder(id.replace(/\/decision-\d+$/, ''));
}

function requestsIn({ possibleDoubleCharges, requested, reused }: BatchSummary): RequestCounts {
  return { requested, reused, possibleDoubleCharges };
}

function batchReport(summary: BatchSummary, folder: string | null): object {
  return { ...summaryDocument(summary), results: folder && join(folder, 'results.csv') };
}

async function onlyRow({ store }: CommandContext, folder: string): Promise<StoredResultRow> {
  for await (const row of new CertificateJobs(store).rows(folder)) return row;
  throw new Error('the store does not hold the result');
}

function issuanceLines(row: StoredResultRow, reader: Reader): string[] {
  const { formats, language, say } = reader;
  const { capturedAt, errorCode: code, errorMessage } = row;
  const error = code === null ? null : { code, message: errorMessage ?? '' };
  const facts: [string, string | null][] = [
    ['certidao_id', row.certidaoId],
    [say('holder', 'titular'), row.holderName],
    [say('official name', 'nome oficial'), row.officialName],
    [say('name on record', 'nome na base'), row.divergent === true ? row.baseName : null],
    [say('source', 'fonte'), row.sourceName],
    [say('classification', 'classificação'), row.classification],
    [
      say('captured at', 'capturada em'),
      capturedAt && say(capturedAt, formats.instant(capturedAt)),
    ],
    ['sha256', row.sha256],
    [say('error', 'erro'), errorWords(error, reader)],
  ];
  const note = row.note === '' ? '' : ` (${reader.stored(row.note)})`;
  return [`${stateWord(row.status, language)}${note}`, ...factLines(facts, 15)];
}

function batchLines(summary: BatchSummary, { language, say }: Reader): string[] {
  const { batchId, blankLines, counts, possibleDoubleCharges, total } = summary;
  const blank = say(` (and ${blankLines} blank)`, ` (e ${blankLines} em branco)`);
  const seen = rowStatuses.filter((status) => counts[status] > 0);
  const decide = '--status S --action A --note "..."`';
  return [
    `${total} ${say('lines', 'linhas')}${blankLines > 0 ? blank : ''}`,
    ...seen.map(
      (status) => `  ${String(counts[status]).padStart(6)}  ${stateWord(status, language)}`,
    ),
    ...(possibleDoubleCharges > 0
      ? [
          `  ${possibleDoubleCharges} ${say('may have been charged twice', 'talvez cobrados duas vezes')} (possible_double_charge)`,
        ]
      : []),
    ...(counts.failed + counts.unknown_outcome + counts.expired > 0
      ? [`  ${say('decide', 'decidir')}: \`diligence resolve ${batchId} ${decide}`]
      : []),
  ];
}
