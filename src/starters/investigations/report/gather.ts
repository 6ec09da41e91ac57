import { attentionOf } from '../../../domain/attention';
import type { StoredResultRow } from '../../../domain/certificates/certificates';
import { validityOf, validityRules } from '../../../domain/certificates/validity';
import type { Fields } from '../../../domain/core/findings';
import type { AnalysisOutcome } from '../../../domain/credit/job';
import { divergencesIn, type Source } from '../../../domain/investigations/divergences';
import type {
  InvestigationOutcome,
  InvestigationRecord,
} from '../../../domain/investigations/investigation';
import type {
  CertificateRow,
  DerivedValidity,
  EvidenceRow,
  InvestigationReport,
  ReportTable,
} from '../../../report/investigations/schema';
import type { JobKind } from '../../../domain/job';
import type { ProfileOutcome, ProfileRecord } from '../../../domain/profiles/lookup';
import type { JobWithOutcome } from '../../../store/core/jobs/job-rows';
import { factsOf } from '../../../store/investigations/evidence';
import { kindOf } from '../../kinds';
import type { CommandContext } from '../../jobs/context';
import { endedJob } from '../../jobs/find-job';
import type { EndedJob, Job } from '../../jobs/job-kind';
import { shortFacts, addAssets, changesTable, creditTables, isRiskFact, tablesOf } from './tables';
import { costOf, requestsOf, type ReportedJob } from './spent';

/** The report on a subject. @param evidence as it was written */
export async function reportOf(
  ctx: CommandContext,
  { id, input, outcome }: EndedJob<InvestigationRecord, InvestigationOutcome>,
  jobs: readonly ReportedJob[],
  evidence: EvidenceRow[],
): Promise<InvestigationReport> {
  const { plan, subject } = input;
  const report: InvestigationReport = {
    version: 1,
    id,
    status: outcome.status,
    error: outcome.error?.message ?? null,
    plan: { name: plan.name, title: plan.title },
    subject: { ...subject },
    requested: { by: input.createdBy, at: input.createdAt, label: input.label ?? null },
    settledAt: outcome.settledAt,
    findings: [],
    coverage: plan.steps.map(({ id: step, kind, needs, required }) => {
      const end = outcome.steps.find((one) => one.id === step);
      const { children = [], status = 'not_requested', why = null } = end ?? {};
      const answered = children.filter(({ result }) => result === 'answered').length;
      return { step, kind, needs, required, status, why, requested: children.length, answered };
    }),
    certificates: [],
    assets: { totals: [], people: [] },
    occurrences: [],
    pictures: [],
    risk: [],
    credit: [],
    changes: [],
    divergences: [],
    timeline: [],
    requests: await requestsOf(ctx, jobs),
    cost: await costOf(ctx, jobs),
    evidence,
  };
  const sources: Source[] = [];
  for (const one of jobs) {
    const file = evidence.find(({ job }) => job === one.job.id)?.path ?? null;
    sources.push(await addJob(ctx, report, one, file));
  }
  report.timeline.sort((a, b) => compare(a.startedAt ?? '', b.startedAt ?? ''));
  const own = [...subject.cnpj, ...subject.cpf];
  const [only] = own;
  if (subject.name !== null && only !== undefined)
    sources.unshift({ source: 'as asked', about: only, facts: { name: subject.name } });
  const requested = sources.flatMap(({ about }) => about ?? []);
  report.divergences = divergencesIn([...own, ...requested], sources);
  return report;
}

/** @returns its statements, to compare with those of other jobs */
async function addJob(
  ctx: CommandContext,
  report: InvestigationReport,
  { child, job, step }: ReportedJob,
  file: string | null,
): Promise<Source> {
  const ended = endedJob(job as Job);
  const kind = kindOf(job.kind);
  const facts = await factsOf(ctx.store, job);
  const found = (await kind.findings?.(ended, ctx.store)) ?? null;
  const tables = found === null ? [] : tablesOf(step, found, file);
  const { endedAt, id, status } = job;
  const { requested, unanswered } = await requestsOf(ctx, [{ child, job }]);
  report.findings.push({
    step,
    kind: job.kind,
    job: id,
    status,
    facts: shortFacts(job.kind, job.outcome, { facts, found }),
  });
  report.timeline.push({
    step,
    job: id,
    kind: job.kind,
    status,
    result: child.result,
    reused: child.before,
    from: child.from,
    startedAt: job.createdAt,
    endedAt,
    requested,
    unanswered,
    cost: (await kind.cost?.(ended, ctx)) ?? [],
  });
  const about =
    (await placers[job.kind]?.(ctx, report, { job, step, file, facts, tables })) ?? null;
  if (job.kind === 'profile' && found !== null) addAssets(report.assets.totals, found);
  return { source: file ?? step, about, facts };
}

interface Reported {
  job: JobWithOutcome;
  step: string;
  file: string | null;
  facts: Fields;
  tables: ReportTable[];
}

/** @returns the document that the whole job is about */
type Placer = (
  ctx: CommandContext,
  report: InvestigationReport,
  reported: Reported,
) => Promise<string | null> | string | null;

/** The report section of each kind of job. */
const placers: Readonly<Partial<Record<JobKind, Placer>>> = {
  certificate(_, { certificates }, { facts, file, step }) {
    const row = certificateRow(step, facts, file);
    certificates.push(row);
    return row.document === '' ? null : row.document;
  },
  profile(_, { assets }, { job, step, tables }) {
    const { cpf: document } = job.input as ProfileRecord;
    const { rural } = job.outcome as ProfileOutcome;
    assets.people.push({ step, document, rural, tables });
    return document;
  },
  trace(_, { occurrences }, { tables }) {
    occurrences.push(...tables);
    return null;
  },
  lens(_, { pictures }, { tables }) {
    pictures.push(...tables);
    return null;
  },
  dossier(_, report, { tables }) {
    for (const table of tables) report[isRiskFact(table.name) ? 'risk' : 'occurrences'].push(table);
    return null;
  },
  'credit-analysis'(_, { credit }, { file, job, step }) {
    credit.push(...creditTables(step, job.outcome as AnalysisOutcome, file));
    return null;
  },
  async 'monitor-sweep'({ store }, report, { file, job, step }) {
    const { monitorId } = job.input as { monitorId: string };
    const span = { from: job.createdAt, to: job.endedAt ?? report.settledAt };
    report.changes.push(await changesTable(store, step, { monitorId, file, ...span }));
    return null;
  },
};

/** Null: no rule is known, or the issue date is unknown. */
export function derivedValidity(type: string, capturedAt: string | null): DerivedValidity | null {
  const rule = validityRules.find((one) => one.type === type);
  const validity = rule === undefined ? null : validityOf(rule.type, capturedAt);
  const source = validityRules.find(({ id }) => id === validity?.rule)?.source ?? '';
  return validity && { ...validity, source };
}

function certificateRow(
  step: string,
  facts: Partial<StoredResultRow>,
  file: string | null,
): CertificateRow {
  const { capturedAt = null, classification = null, divergent = null } = facts;
  const { document = '', officialName = null, status = 'failed', type = '' } = facts;
  const { baseName = null, holderName = null, sourceName = null } = facts;
  const isGood = attentionOf('certificate', status).exitCode === 0;
  const validity = isGood ? derivedValidity(type, capturedAt) : null;
  const names = { officialName, holderName, baseName, sourceName };
  const shown = { ...names, classification, divergent, capturedAt };
  return { step, document, type, status, ...shown, validity, file };
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
