import type { Cell, Findings, Fields } from '../../../domain/core/findings';
import type { AnalysisOutcome } from '../../../domain/credit/job';
import type { AssetTotal, ReportTable, Finding } from '../../../report/investigations/schema';
import { hasValue } from '../../../report/findings/section';
import type { Store } from '../../../store/store';
import { openChanges } from '../../../store/investigations/evidence';
import type { StoredResultRow } from '../../../domain/certificates/certificates';
import type { DossierOutcome } from '../../../domain/dossiers/follow';
import type { JobKind } from '../../../domain/job';
import type { LensOutcome } from '../../../domain/lens/analyze';
import type { SweepOutcome } from '../../../domain/monitors/sweep';
import type { ProfileOutcome } from '../../../domain/profiles/lookup';
import type { TraceOutcome } from '../../../domain/traces/search';

/** More rows and columns are in the evidence. */
const mostRows = 30;
const mostColumns = 7;

export function tablesOf(
  step: string,
  { facts, sections }: Pick<Findings, 'facts' | 'sections'>,
  file: string | null,
): ReportTable[] {
  const single = Object.entries(facts).filter(([, value]) => hasValue(value));
  const parts = [...new Set(single.map(([word]) => (isRiskFact(word) ? 'risk' : '')))];
  const values = parts.map((name): ReportTable => {
    const rows = single.filter(([word]) => isRiskFact(word) === (name === 'risk'));
    return { step, name, file, columns: ['what', 'value'], rows, total: rows.length };
  });
  const lists = sections
    .filter(({ rows }) => rows.length > 0)
    .map((section): ReportTable => {
      const { columns, rows, total } = section;
      const shown = columns.filter((column) => rows.some((row) => hasValue(row[column])));
      return {
        step,
        name: section.title,
        file,
        columns: shown.slice(0, mostColumns),
        rows: rows
          .slice(0, mostRows)
          .map((row) => shown.slice(0, mostColumns).map((column) => row[column] ?? null)),
        total,
      };
    });
  return [...values, ...lists];
}

export function isRiskFact(word: string): boolean {
  return word.startsWith('risk.') || word === 'risk';
}

export function creditTables(
  step: string,
  { result }: AnalysisOutcome,
  file: string | null,
): ReportTable[] {
  if (result === null) return [];
  const { summary } = result;
  const rows = (['receivables', 'approved', 'alerted', 'blocked'] as const).map((what): Cell[] => [
    what,
    summary[what],
    what === 'receivables' ? summary.totalValue : summary[`${what}Value`],
  ]);
  return [
    { step, name: 'receivables', file, columns: ['what', 'count', 'brl'], rows, total: 4 },
    ...tablesOf(
      step,
      {
        facts: {
          assignorStatus: summary.assignorStatus,
          payers: summary.payers,
          payersWithIssues: summary.payersWithIssues,
        },
        sections: [],
      },
      file,
    ),
  ];
}

/** The column with an item's value, in BRL, as the service reports it. */
const worth: Readonly<Record<string, string>> = { veiculos: 'media_preco', imoveis: 'valor_venal' };

export function addAssets(totals: AssetTotal[], { sections }: Pick<Findings, 'sections'>): void {
  for (const { name, rows } of sections) {
    if (rows.length === 0 || isDerived(name)) continue;
    const values = rows
      .map((row) => row[worth[name] ?? ''])
      .filter((value) => typeof value === 'number');
    const value = values.length === 0 ? null : inCents(values);
    const sum = totals.find((one) => one.name === name);
    if (sum === undefined) totals.push({ name, count: rows.length, value });
    else {
      sum.count += rows.length;
      if (value !== null) sum.value = inCents([sum.value ?? 0, value]);
    }
  }
}

/** Exact to the cent. */
function inCents(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + Math.round(value * 100), 0) / 100;
}

/** Sums that the service computed from other lists. */
function isDerived(name: string): boolean {
  return name === 'rural_resumo' || name.startsWith('rural_transportes');
}

export async function changesTable(
  store: Store,
  step: string,
  about: { monitorId: string; file: string | null; from: string; to: string },
): Promise<ReportTable> {
  const { file, monitorId: name } = about;
  const columns = ['detected', 'severity', 'type', 'state', 'change'];
  const rows: Cell[][] = [];
  let total = 0;
  for await (const { file: one, isOpen } of openChanges(store, about)) {
    total += 1;
    if (rows.length >= mostRows) continue;
    const { changeId, detectedAt, severity, severityWord, type } = one.stored.change;
    const state = isOpen ? 'open' : 'acknowledged';
    rows.push([detectedAt, severityWord ?? severity, type, state, changeId]);
  }
  return { step, name, file, columns, rows, total };
}

interface Read {
  facts: Fields;
  found: Findings | null;
}

/** The first facts about a job; nothing is judged. */
export function shortFacts(kind: JobKind, outcome: unknown, read: Read): Finding['facts'] {
  const { error = null } = outcome as { error?: { code: string | null; message: string } | null };
  const shown: Record<string, Cell> = { ...readers[kind]?.(outcome as never, read) };
  if (error !== null) shown['error'] = `${error.code ?? ''} ${error.message}`.trim();
  return Object.entries(shown).flatMap(([what, value]) =>
    value === null ? [] : [{ what, value }],
  );
}

const rowsIn = (found: Findings | null, except = ''): number | null =>
  found &&
  found.sections.reduce((sum, { name, rows }) => sum + (name === except ? 0 : rows.length), 0);

const joined = (words: readonly string[]): string | null => words.join('; ') || null;

const readers: Readonly<
  Partial<Record<JobKind, (outcome: never, read: Read) => Record<string, Cell>>>
> = {
  certificate(_, { facts }) {
    const row = facts as Partial<StoredResultRow>;
    const { classification = null, divergent = null, errorMessage: error = null } = row;
    const { holderName: holder = null, officialName = null } = row;
    const holderName = holder === officialName ? null : holder;
    return { officialName, holderName, classification, divergent, error };
  },
  profile: ({ counts, rural }: ProfileOutcome) => ({ ...counts, rural }),
  trace: ({ seen, status }: TraceOutcome, { found }) => ({
    atService: status === 'cancelled' ? (seen?.statusWord ?? null) : null,
    sources: seen?.sources == null ? null : Object.keys(seen.sources).length,
    partial: seen?.partial ?? null,
    occurrences: rowsIn(found, 'coverage'),
  }),
  lens: ({ seen }: LensOutcome, { found }) => ({
    mode: seen?.mode ?? null,
    hypotheses: rowsIn(found),
  }),
  dossier: ({ coverage, mode, remote, review, risk, stale, status }: DossierOutcome) => ({
    atService: status === 'cancelled' ? remote : null,
    mode,
    phases: coverage && `${coverage.completed ?? '?'}/${coverage.eligible ?? '?'}`,
    stale,
    riskStatus: risk && (risk.status ?? risk.form),
    riskLevel: risk?.level ?? null,
    riskScore: risk?.score ?? null,
    riskRules: risk === null || risk.form === 'omitted' ? null : risk.matchedRules,
    review: review && `${review.action} (${review.by}): ${review.note}`,
  }),
  'credit-analysis': ({ operationId, result }: AnalysisOutcome) => ({
    operationId,
    receivables: result?.summary.receivables ?? null,
    approved: result?.summary.approved ?? null,
    alerted: result?.summary.alerted ?? null,
    blocked: result?.summary.blocked ?? null,
    contradictions: joined(result?.contradictions ?? []),
  }),
  'monitor-sweep': ({ backlog, counts, fault, health, warnings }: SweepOutcome) => ({
    newChanges: counts.stored,
    delivered: counts.delivered,
    acknowledged: counts.acknowledged,
    notDelivered: backlog.undelivered || null,
    notReadable: backlog.unreadable || null,
    sweepFault: fault?.fault ?? null,
    notes: joined([...warnings, ...health.map(({ kind }) => kind)]),
  }),
};
