import { decisionsOf } from '../../store/core/jobs/inbox';
import { join } from 'node:path';
import { CertificateJobs, type LatestEdition } from '../../store/certificates/jobs';
import {
  rowStatuses,
  type BatchSummary,
  type StoredResultRow,
  type RowStatus,
} from '../../domain/certificates/certificates';
import { certificateFolder, type CertificateRecord } from '../../domain/certificates/job';
import type { DecisionRecord } from '../../domain/core/decision';
import type { CommandContext } from '../jobs/context';
import type { RequestCounts, JobKind } from '../jobs/job-kind';
import { counted, errorWords, factLines } from '../jobs/text';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import type { Words } from '../../domain/job';
import { cancelLanes, batchProgress, issuanceProgress } from './progress';
import { pdfName, summaryDocument, batchFindings, printedRows } from './rows';

/** Next steps for rows of a status; settled rows have none. */
const nextSteps: Partial<Record<RowStatus, Words>> = {
  unknown_outcome: [
    'may have been accepted, and the id is lost: `resolve` decides (reissue may be charged twice)',
    'pode ter sido aceito, e o id se perdeu: `resolve --status unknown_outcome` decide (pedir de novo pode ser cobrado duas vezes)',
  ],
  failed: [
    'refused or failed: see error_message; `resolve --status failed --action reissue`',
    'recusado ou com falha: veja error_message; `resolve --status failed --action reissue`',
  ],
  expired: [
    'not settled in time: `resolve --status expired --action watch` looks again',
    'não terminou a tempo: `resolve --status expired --action watch` consulta de novo',
  ],
  invalid: [
    'mend the line in the input and run the file again: only what is new is bought',
    'corrija a linha na entrada e execute o arquivo de novo: só o que é novo é comprado',
  ],
  unsupported: [
    'valid, but the service does not take it yet',
    'válido, mas o serviço ainda não o atende',
  ],
  cancelled: [
    'never sent, or given up: `resolve --status cancelled --action reissue` asks for it',
    'nunca enviado, ou abandonado: `resolve --status cancelled --action reissue` pede',
  ],
};

/** One issuance is a batch of one row. */
export const certificateKind: JobKind<CertificateRecord, LatestEdition> = {
  kind: 'certificate',
  prefix: 'certificate/',
  noun: ['certificate', 'certidão'],
  service: 'certificates',
  // Its own id includes the instant.
  workflowId: (_, id) => id.split('/').slice(0, 3).join('/'),
  describe: ({ type }) => type ?? '',
  terms: ({ label, rerun, terms }) => ({
    rerun,
    deadline: terms?.rowDeadlineMs,
    label,
    onUnknown: terms?.onUnknown,
  }),
  readProgress: issuanceProgress,
  lines: async ({ folder, id }, ctx) => issuanceLines(id, await onlyRow(ctx, folder), ctx.reader),
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
  cost: () => [],
  requests: ({ outcome: { summary } }) => requestsIn(summary),
  heeds: ['excel', 'lang', 'pdfNames'],
  export: async (ctx, { folder: from, outcome }, folder, options) => {
    const { writeResultFolder } = require('./result-folder') as typeof import('./result-folder');
    return writeResultFolder(ctx, from, outcome.summary, { ...options, folder });
  },
  resolver: () => (require('./resolve') as typeof import('./resolve')).certificateResolver,
  orders: ['cancel', 'cancel_now', 'resume'],
};

const batchKind: JobKind<CertificateRecord, LatestEdition> = {
  ...certificateKind,
  kind: 'certificate-batch',
  prefix: 'certificate-batch/',
  noun: ['certificates of', 'certidões de'],
  workflowId: (_, id) => id,
  describe: ({ inputName, items }, say) =>
    inputName ?? say(`renewal of ${items}`, `renovação de ${items}`),
  terms: ({ label, rerun, terms }) => ({
    rerun,
    deadline: terms?.rowDeadlineMs,
    label,
    onUnknown: terms?.onUnknown,
    concurrency: terms?.concurrency,
    budget: terms?.budget,
  }),
  readProgress: batchProgress,
  lines: async ({ folder, outcome }, ctx) => [
    ...batchLines(outcome.summary, ctx.reader),
    ...(await openDecisions(ctx, folder, outcome)).map((number) =>
      ctx.reader.say(
        `  decision ${number} has not ended: the counts are those before it`,
        `  a decisão ${number} não terminou: as contagens são as de antes dela`,
      ),
    ),
  ],
  report: async (ctx, { folder: from, id, outcome }, folder) => {
    const open = await openDecisions(ctx, from, outcome);
    const openDecisionIds = open.map((number) => `${id}/decision-${number}`);
    return { ...batchReport(outcome.summary, folder), openDecisionIds };
  },
  artifacts: () => [],
  rows: ({ store }, { folder }) => printedRows(store, folder),
  orders: ['cancel', 'cancel_now', 'pause', 'resume'],
  giveOthers: cancelLanes,
};

export const certificateBatchKind: JobKind<CertificateRecord, LatestEdition> = {
  ...batchKind,
  findings: batchFindings,
  exportSoFar: async (ctx, job, folder, options) => {
    const { writeResultSoFar } = require('./result-folder') as typeof import('./result-folder');
    return writeResultSoFar(ctx, job, { ...options, folder });
  },
};

/** A person's resolution of rows; it shows the batch after it. */
export const decisionKind: JobKind<DecisionRecord, BatchSummary> = {
  service: 'certificates',
  readProgress: batchProgress,
  heeds: batchKind.heeds,
  orders: batchKind.orders,
  kind: 'decision',
  prefix: 'decision/',
  resolver: () =>
    (require('../jobs/decide/resolve') as typeof import('../jobs/decide/resolve')).nothingGoesOn,
  noun: ['decision:', 'decisão:'],
  workflowId: (_, id) => id,
  describe: ({ action, rows }, say) =>
    say(
      `${action} of ${counted(rows.length, 'row')}`,
      `${stateWord(action, 'pt')}, linhas: ${rows.length}`,
    ),
  terms: () => ({}),
  lines: ({ outcome }, { reader }) => batchLines(outcome, reader),
  report: async (_, { outcome }, folder) => batchReport(outcome, folder),
  artifacts: () => [],
  cost: () => [],
  requests: ({ outcome }) => requestsIn(outcome),
  rows: ({ store }, { id }) => printedRows(store, jobDecidedOn(id)),
  export: async (ctx, { id, outcome }, folder, options) => {
    const { writeResultFolder } = require('./result-folder') as typeof import('./result-folder');
    return writeResultFolder(ctx, jobDecidedOn(id), outcome, { ...options, folder });
  },
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

function issuanceLines(id: string, row: StoredResultRow, reader: Reader): string[] {
  const { formats, language, say } = reader;
  const step = nextSteps[row.status];
  const next = step && say(...step);
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
    [say('next', 'pendência'), next?.replace('`resolve', `\`resolve ${id}`) ?? null],
  ];
  const note = row.note === '' ? '' : ` (${reader.stored(row.note)})`;
  return [`${stateWord(row.status, language)}${note}`, ...factLines(facts, 15)];
}

function batchLines(summary: BatchSummary, { language, say }: Reader): string[] {
  const { batchId, blankLines, counts, possibleDoubleCharges, total } = summary;
  const blank = say(` (and ${blankLines} blank)`, ` (e ${blankLines} em branco)`);
  const lines = [`${total} ${say('lines', 'linhas')}${blankLines > 0 ? blank : ''}`];
  for (const status of rowStatuses) {
    if (counts[status] === 0) continue;
    const count = String(counts[status]).padStart(6);
    const next = nextSteps[status];
    const word = stateWord(status, language).padEnd(language === 'pt' ? 22 : 16);
    lines.push(`  ${count}  ${word}${next === undefined ? '' : ` ${say(...next)}`}`);
  }
  if (possibleDoubleCharges > 0) {
    const doubt = say('may have been charged twice', 'talvez cobrados duas vezes');
    lines.push(`  ${possibleDoubleCharges} ${doubt} (possible_double_charge)`);
  }
  if (counts.failed + counts.unknown_outcome + counts.expired > 0) {
    lines.push(
      `  ${say('decide', 'decidir')}: \`diligence resolve ${batchId} --status S --action A --note "..."\``,
    );
  }
  return lines;
}

/** Numbers of resolutions not yet in the counts. One lost before a later one ended was given again. */
async function openDecisions(
  { store }: CommandContext,
  folder: string,
  { edition }: LatestEdition,
): Promise<number[]> {
  const certificateJobs = new CertificateJobs(store);
  const open: number[] = [];
  for (const { number } of await decisionsOf(store, folder)) {
    const hasEnded = (await certificateJobs.decisionSummary(folder, number)) !== null;
    if (number > edition && !hasEnded) open.push(number);
  }
  return open;
}
