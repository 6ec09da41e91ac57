import { attentionOf } from '../../domain/attention';
import type { FiledRow } from '../../domain/certificates/certificates';
import type { BillingTotal } from '../../domain/core/billing-totals';
import type { Cell, Findings, FlatRow } from '../../domain/core/findings';
import { divergencesIn, type Source } from '../../domain/investigations/divergences';
import type {
  InvestigationOutcome,
  InvestigationRecord,
  StepChild,
} from '../../domain/investigations/investigation';
import type {
  CertificateRow,
  EvidenceRow,
  InvestigationReport,
  ReportTable,
} from '../../domain/investigations/report';
import { validityOf } from '../../domain/investigations/validity';
import type { JobWithOutcome } from '../../store/core/jobs';
import { factsOf } from '../../store/investigations/facts';
import { ChangeQueries } from '../../store/monitors/change-queries';
import { childKindOf } from './child-kinds';
import type { CommandContext } from '../jobs/context';
import { endedJob } from '../jobs/find-job';
import type { EndedJob, Job } from '../jobs/job-kind';

/** A job of a step, as the report tells of it. */
export interface ReportedJob {
  step: string;
  child: StepChild;
  job: JobWithOutcome;
}

/** More rows of a list stand in the evidence. */
const mostRows = 50;
const mostColumns = 8;

/** Every job that the steps asked for and that has ended; the same job once. */
export async function reportedJobs(
  { store }: CommandContext,
  { steps }: InvestigationOutcome,
): Promise<ReportedJob[]> {
  const found = new Map<string, ReportedJob>();
  for (const { children, id: step } of steps)
    for (const child of children) {
      const job = await store.jobs.find(child.jobId);
      if (job !== null && job.outcome !== null && !found.has(job.id))
        found.set(job.id, { step, child, job });
    }
  return [...found.values()];
}

/** The file on a subject. @param evidence as it was written */
export async function reportData(
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
    asked: { by: input.createdBy, at: input.createdAt, label: input.label },
    settledAt: outcome.settledAt,
    findings: [],
    coverage: outcome.steps.map(({ children, id: step, status, why }) => {
      const { kind = '', required = false } = plan.steps.find((one) => one.id === step) ?? {};
      const answered = children.filter(({ result }) => result === 'answered').length;
      return { step, kind, required, status, why, asked: children.length, answered };
    }),
    certificates: [],
    assets: [],
    occurrences: [],
    pictures: [],
    risk: [],
    credit: [],
    changes: [],
    divergences: [],
    timeline: [],
    cost: [],
    evidence,
  };
  report.cost = await costOf(ctx, jobs);
  const sources: Source[] = [];
  for (const { child, job, step } of jobs) {
    const kind = childKindOf(job.kind);
    const ended = endedJob(job as Job);
    const cost = await kind.cost(ended, ctx);
    const [first = '', ...more] = await kind.lines(ended, ctx);
    const words = [first, ...more.slice(0, 8)].map((line) => line.trim().replaceAll(/\s+/g, ' '));
    report.findings.push({ step, text: words.join('; ') });
    report.timeline.push({
      step,
      job: job.id,
      status: job.status,
      result: child.result,
      reused: child.before,
      from: child.from,
      startedAt: job.createdAt,
      endedAt: job.endedAt,
      cost,
    });
    const file = evidence.find((one) => one.job === job.id)?.path ?? null;
    const facts = await factsOf(ctx.store, job);
    if (job.kind === 'certificate') report.certificates.push(certificateRow(step, facts, file));
    const list = listOf[job.kind];
    if (list !== undefined) {
      const found = await kind.findings?.(ended, ctx.store);
      report[list].push(
        ...(found === undefined ? [tableOf(step, facts, file)] : tablesOf(step, found, file)),
      );
    }
    const document = (facts as Partial<FiledRow>).document;
    const whole = document ?? (job.kind === 'profile' ? (subject.cpf[0] ?? null) : null);
    sources.push({ source: `${step}: ${file ?? job.kind}`, about: whole, facts });
  }
  const monitors = jobs.flatMap(({ job }) =>
    job.kind === 'monitor-sweep' ? [(job.input as { monitorId: string }).monitorId] : [],
  );
  if (monitors.length > 0) report.changes.push(await changesOf(ctx, monitors));
  const [only] = [...subject.cnpj, ...subject.cpf];
  if (subject.name !== null && only !== undefined)
    sources.unshift({ source: 'as asked', about: only, facts: { name: subject.name } });
  report.divergences = divergencesIn([...subject.cnpj, ...subject.cpf], sources);
  return report;
}

/** Of what was asked for anew: what was reused had been paid before. */
export async function costOf(
  ctx: CommandContext,
  jobs: readonly ReportedJob[],
): Promise<BillingTotal[]> {
  const sum: BillingTotal[] = [];
  for (const { child, job } of jobs)
    if (!child.before) addCosts(sum, await childKindOf(job.kind).cost(endedJob(job as Job), ctx));
  return sum;
}

/** Where the lists of a kind stand. */
const listOf: Readonly<
  Partial<Record<string, 'assets' | 'occurrences' | 'pictures' | 'risk' | 'credit'>>
> = {
  profile: 'assets',
  trace: 'occurrences',
  lens: 'pictures',
  dossier: 'risk',
  'credit-analysis': 'credit',
};

function certificateRow(step: string, facts: object, file: string | null): CertificateRow {
  const row = facts as FiledRow;
  const { capturedAt, classification, document, officialName, status, type } = row;
  const isGood = attentionOf('certificate', status).exitCode === 0;
  const validity = capturedAt !== null && isGood ? validityOf(type, capturedAt) : null;
  return { step, document, type, status, officialName, classification, capturedAt, validity, file };
}

function tablesOf(step: string, { facts, sections }: Findings, file: string | null): ReportTable[] {
  const lists = sections.map(({ columns, rows, title }): ReportTable => {
    const shown = columns.slice(0, mostColumns);
    const cells = rows.slice(0, mostRows).map((row) => shown.map((column) => row[column] ?? null));
    return { title: `${step}: ${title}`, file, columns: shown, rows: cells, total: rows.length };
  });
  return [tableOf(step, facts, file), ...lists].filter(({ total }) => total > 0);
}

function tableOf(step: string, facts: object, file: string | null): ReportTable {
  const rows = Object.entries(facts as FlatRow).flatMap(([word, value]): Cell[][] =>
    value === null || typeof value === 'object' ? [] : [[word, value]],
  );
  return { title: step, file, columns: ['what', 'value'], rows, total: rows.length };
}

async function changesOf({ store }: CommandContext, monitors: string[]): Promise<ReportTable> {
  const columns = ['monitor', 'detected', 'severity', 'type', 'state', 'change'];
  const rows: Cell[][] = [];
  let total = 0;
  for await (const { acknowledged, filed } of new ChangeQueries(store).files({
    since: null,
    monitors,
  })) {
    total += 1;
    if (rows.length >= mostRows) continue;
    const { changeId, detectedAt, severity, type } = filed.change;
    const state = acknowledged === null ? 'open' : 'acknowledged';
    rows.push([filed.monitorId, detectedAt, severity, type, state, changeId]);
  }
  return { title: 'changes', file: null, columns, rows, total };
}

function addCosts(sum: BillingTotal[], more: readonly BillingTotal[]): void {
  for (const { amount, count, status, unit } of more) {
    const same = sum.find((one) => one.status === status && one.unit === unit);
    if (same === undefined) sum.push({ status, unit, count, amount });
    else {
      same.count += count;
      same.amount = amount === null ? same.amount : (same.amount ?? 0) + amount;
    }
  }
}
