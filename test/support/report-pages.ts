import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAnalysis } from '../../src/apis/credit/result.wire';
import { resourceFromWire } from '../../src/apis/investigation/resource';
import { dossierWire } from '../../src/apis/investigation/wire/dossiers.wire';
import { lensWire } from '../../src/apis/investigation/wire/lens.wire';
import { traceWire } from '../../src/apis/investigation/wire/traces.wire';
import type { AnalysedPayer } from '../../src/domain/credit/analysis';
import { riskSummary } from '../../src/domain/dossiers/follow';
import type { JobKind as KindName } from '../../src/domain/job';
import { changeRecord } from '../../src/domain/monitors/change-record';
import { sourcesOf } from '../../src/domain/traces/search';
import { BatchFigures } from '../../src/report/batches/figures';
import { batchHtml } from '../../src/report/batches/page';
import { reportHtml } from '../../src/report/certificates/page';
import { analysisHtml } from '../../src/report/credit/page';
import { AnalysisFigures } from '../../src/report/credit/figures';
import type { ReportLanguage } from '../../src/report/formats';
import { MonitorFigures } from '../../src/report/monitors/figures';
import { monitorHtml } from '../../src/report/monitors/page';
import { rowStatuses } from '../../src/domain/certificates/certificates';
import type { CommandContext } from '../../src/starters/jobs/context';
import { exportJob } from '../../src/starters/jobs/export-job';
import { kindOf } from '../../src/starters/kinds';
import { putLarge } from '../../src/store/core/large-objects';
import { DossierRepository } from '../../src/store/dossiers/dossiers';
import { LensRepository } from '../../src/store/lens/lens';
import { ProfileRepository } from '../../src/store/profiles/profiles';
import { TraceRepository } from '../../src/store/traces/traces';
import { decision, issuedAfter, reportOf, rowOf } from '../unit/report/sample';
import { sha256Of } from '../unit/sandbox/resource-caller';
import { hostile, long, type Answer, type Answers } from './report-answers';
import { toldChange } from './monitor-changes';
import { TemporaryStore } from './temporary-store';

/** A page of each kind, of what the sandbox answers, read by the code that reads the services. */

const at = '2026-01-05T12:00:00.000Z';
const writtenAt = Date.parse('2026-01-05T12:10:00Z');
const call = { method: 'GET', pathTemplate: '/x' };

/** By the names of their kinds. */
export async function reportPages(
  answers: Answers,
  lang: ReportLanguage,
): Promise<Map<string, string>> {
  const pages = new Map<string, string>([
    ['certificates', certificatesPage(lang)],
    ['credit', await creditPage(answers.analysis, lang)],
    ['monitors', monitorsPage(lang)],
    ['batch', batchPage(lang)],
  ]);
  const place = new TemporaryStore();
  const out = await mkdtemp(join(tmpdir(), 'diligence-pages-'));
  jest.spyOn(Date, 'now').mockReturnValue(writtenAt);
  try {
    for (const [name, { kind, input, outcome, put }] of Object.entries(sampleJobs(answers))) {
      const folder = `${kind}/${name}`;
      await put(place, folder);
      const { status = 'completed' } = outcome as { status?: string };
      const job = {
        id: `${kind}/${'ab'.repeat(16)}/20260105T120000000Z`,
        kind,
        folder,
        status,
        needsAttention: status === 'expired',
        createdAt: at,
        endedAt: at,
        input: {
          label: 'lote 7',
          createdAt: at,
          createdBy: 'ana',
          ...input,
        },
        outcome: {
          error: null,
          status,
          settledAt: '2026-01-05T12:00:04.000Z',
          ...outcome,
        },
      };
      const options = { excel: false, html: true, lang, pdfNames: 'id' } as const;
      const ctx = { store: place.store } as unknown as CommandContext;
      await exportJob(ctx, kindOf(kind), job as never, { ...options, folder: join(out, name) });
      pages.set(name, await readFile(join(out, name, 'report.html'), 'utf8'));
    }
  } finally {
    jest.restoreAllMocks();
    await rm(out, { recursive: true });
    place.remove();
  }
  return pages;
}

export interface SampleJob {
  kind: KindName;
  input: object;
  outcome: object;
  put: (place: TemporaryStore, folder: string) => Promise<unknown>;
}

/** Jobs that have ended with what the sandbox answers. */
export function sampleJobs({
  dossier,
  face,
  geo,
  picture,
  profile,
  trace,
}: Answers): Record<string, SampleJob> {
  const search = resourceFromWire(traceWire, call, trace.json, ['traceId', null]);
  const { dossierId, risk, coverage } = resourceFromWire(dossierWire, call, dossier.json, [
    'dossierId',
    String(dossier.json['id']),
  ]);
  const looked = (answer: Answer): SampleJob => {
    const { mode, state, billing, artifacts } = resourceFromWire(lensWire, call, answer.json, [
      'analysisId',
      null,
    ]);
    const seen = { mode, state, hasResult: true, artifacts: artifacts.length, sha256: null };
    const key = `lens-input/${mode}`;
    const file = {
      fileName: 'a.png',
      bytes: picture.length,
      sha256: sha256Of(picture),
      mediaType: 'image/png',
      key,
    };
    return {
      kind: 'lens',
      input: { file },
      outcome: { seen, billing, files: null, replaced: [] },
      put: async ({ store }, folder) => {
        await putLarge(
          store,
          key,
          (async function* () {
            yield picture;
          })(),
        );
        await new LensRepository(store).putAnswer(folder, answer.body);
      },
    };
  };
  const { billing, coverage: told, partial, type } = search;
  return {
    profile: {
      kind: 'profile',
      input: { cpf: '52998224725' },
      outcome: { status: 'found', call: 1, answered: 1 },
      put: ({ store }, folder) => new ProfileRepository(store).putAnswer(folder, profile.body, 1),
    },
    trace: {
      kind: 'trace',
      input: { target: 'ana@example.com' },
      outcome: { seen: { type, partial, billing, sources: sourcesOf(told) } },
      put: ({ store }, folder) => new TraceRepository(store).putAnswer(folder, trace.body),
    },
    'lens-geo': looked(geo),
    'lens-face': looked(face),
    dossier: {
      kind: 'dossier',
      input: { dossierId },
      outcome: {
        status: 'expired',
        remote: 'running',
        coverage,
        risk: riskSummary(risk),
        stale: true,
        stored: [],
        notStored: [
          {
            artifactId: 'a',
            type: 'dossie_pdf',
            why: 'no longer available',
          },
        ],
        possibleAttempt: true,
        review: null,
        note: hostile,
        attempts: [
          {
            number: 1,
            status: 'failed',
            billing: {
              status: 'not_charged',
              amount: 0,
              unit: 'tokens',
            },
          },
          {
            number: 2,
            status: 'completed',
            billing: {
              status: 'charged',
              amount: 61,
              unit: 'tokens',
            },
          },
        ],
        error: {
          code: 'deadline',
          message: hostile,
        },
      },
      put: ({ store }, folder) =>
        new DossierRepository(store).putAnswers(folder, { status: dossier.json, whole: null }),
    },
  };
}

function certificatesPage(lang: ReportLanguage): string {
  const issued = Array.from({ length: 60 }, (_, n) =>
    issuedAfter(1_000 + n * 90, n * 700, { line: n + 2 }),
  );
  const words = { reference: `${long} ${hostile}`, errorMessage: hostile };
  const others = rowStatuses.map((status, n) => rowOf(status, { line: n + 70, ...words }));
  return reportHtml(reportOf([...issued, ...others], {}, [decision]), lang);
}

async function creditPage(bytes: Buffer, lang: ReportLanguage): Promise<string> {
  const fold = new AnalysisFigures();
  const payers: AnalysedPayer[] = [];
  const chunks = async function* () {
    yield bytes;
  };
  const analysis = await readAnalysis(call, chunks(), {
    payer: (payer) => void payers.push(payer),
  });
  fold.assignor(analysis.assignor);
  for (const [index, payer] of payers.entries()) fold.payer(payer, index);
  await readAnalysis(call, chunks(), { receivable: (one, index) => fold.receivable(one, index) });
  const cnab = { name: `${hostile}.rem`, sha256: 'ab'.repeat(32), bytes: 16_400, key: 'k' };
  const job = {
    jobId: 'credit/0f/20260105T120000000Z',
    createdBy: 'ana',
    createdAt: at,
    cnab,
    xmls: null,
  };
  const report = {
    job,
    outcome: { operationId: 'op-7', settledAt: at },
    analysis,
    contradictions: [hostile],
    figures: fold,
    files: [],
    writtenAt,
  };
  return analysisHtml(report, lang);
}

function monitorsPage(lang: ReportLanguage): string {
  const sums = new MonitorFigures();
  const marks = { isNew: false, delivered: {}, acknowledged: null, failure: null, reviews: [] };
  for (const [n, severity] of (['critical', 'warn', 'info', 'info'] as const).entries()) {
    const { change, answer } = toldChange(`3f0d2f0a-3c11-4b7e-9a55-6d1c0c0a000${n}`, { severity });
    const before = { socios: n, situacao: 'ATIVA', capital: 1000 };
    const after = {
      socios: n + 1,
      situacao: severity === 'critical' ? hostile : 'ATIVA',
      capital: 1000,
    };
    const whole = { ...(answer as object), before, after };
    const place = { monitorId: '5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a0002', foundAs: 'open' } as const;
    const stored = { ...place, change, answer: whole, seenAt: at, sweep: 's' };
    const record = changeRecord({ ...marks, stored }, ['file']);
    const failing = { ...record, status: 'failing', failures: 7, failure: hostile } as const;
    sums.add(n === 1 ? failing : record, whole);
  }
  const monitorId = '5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a0002';
  const listed = {
    monitorId,
    name: `${long} Ltda`,
    document: '***.123.456-**',
    notes: [{ kind: 'blocked', why: 'payment_required' }],
  } as const;
  return monitorHtml(
    {
      scope: { since: at, monitors: 1, severities: null },
      figures: sums,
      names: new Map([[monitorId, `${long} Ltda`]]),
      monitors: {
        total: 3,
        noted: { blocked: 1, unwell: 0, unknown: 1 },
        listed: [listed],
        more: 0,
      },
      disabledSinks: [{ name: 'webhook', at, why: 'answered 410' }],
      writtenAt,
    },
    lang,
  );
}

function batchPage(lang: ReportLanguage): string {
  const fold = new BatchFigures('profile-batch');
  const plain = { isDoubted: false, error: null, reference: '', page: null };
  for (const [n, status] of [
    'found',
    'found',
    'duplicate',
    'not_found',
    'unknown_outcome',
    'invalid',
  ].entries()) {
    const isFound = status === 'found' || status === 'duplicate';
    fold.add({
      ...plain,
      line: n + 2,
      requested: status === 'invalid' ? hostile : '52998224725',
      status,
      jobId: status === 'invalid' ? null : `profile/${'ab'.repeat(16)}/20260105T120000000Z`,
      cells: isFound
        ? {
            assessed_value: 350_000.5,
            vehicles: 2,
            properties: 1,
            patents: 0,
            rural: 'reported',
            sha256: 'ab',
          }
        : {},
      error: isFound ? null : { code: status, message: hostile },
      page: status === 'found' ? `pages/${n + 2}.html` : null,
    });
  }
  const record = {
    kind: 'profile-batch' as const,
    batchId: `profile-batch/${'ab'.repeat(16)}/20260105T120000000Z`,
    name: 'n',
    label: null,
    inputName: `${hostile}.csv`,
    inputSha256: 'cd'.repeat(32),
    inputKey: null,
    lines: 6,
    blankLines: 1,
    items: 4,
    linesAtFault: 1,
    left: {},
    children: 3,
    concurrency: 2,
    deadlineMs: 1,
    createdAt: at,
    createdBy: 'ana',
  } as const;
  const files = [
    { name: 'results.csv', bytes: 1_234, mediaType: 'text/csv', sha256: 'ef'.repeat(32) },
  ];
  const endedAt = '2026-01-05T12:05:00.000Z';
  return batchHtml({ record, figures: fold, cost: [], files, endedAt, writtenAt }, lang);
}
