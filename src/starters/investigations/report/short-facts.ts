import type { StoredResultRow } from '../../../domain/certificates/certificates';
import type { Cell, Fields, Findings } from '../../../domain/core/findings';
import type { AnalysisOutcome } from '../../../domain/credit/job';
import type { DossierOutcome } from '../../../domain/dossiers/follow';
import type { Finding } from '../../../domain/investigations/report';
import type { JobKind } from '../../../domain/job';
import type { LensOutcome } from '../../../domain/lens/analyze';
import type { SweepOutcome } from '../../../domain/monitors/sweep';
import type { ProfileOutcome } from '../../../domain/profiles/lookup';
import type { TraceOutcome } from '../../../domain/traces/search';

interface Read {
  /** What the job reported. */
  facts: Fields;
  found: Findings | null;
}

/** The first facts about a job; nothing is judged. */
export function shortFacts(kind: JobKind, outcome: unknown, read: Read): Finding['facts'] {
  const { error = null } = outcome as { error?: { code: string | null; message: string } | null };
  const shown: Record<string, Cell> = { ...readers[kind]?.(outcome, read) };
  if (error !== null) shown['error'] = `${error.code ?? ''} ${error.message}`.trim();
  return Object.entries(shown).flatMap(([what, value]) =>
    value === null ? [] : [{ what, value }],
  );
}

const readers: Readonly<
  Partial<Record<JobKind, (outcome: unknown, read: Read) => Record<string, Cell>>>
> = {
  certificate(_, { facts }) {
    const row = facts as Partial<StoredResultRow>;
    const { classification = null, divergent = null, errorMessage = null } = row;
    const { holderName: holder = null, officialName = null } = row;
    const holderName = holder === officialName ? null : holder;
    return { officialName, holderName, classification, divergent, error: errorMessage };
  },
  profile: (outcome) => {
    const { counts, rural } = outcome as ProfileOutcome;
    return { ...counts, rural };
  },
  trace: (outcome, { found }) => {
    const { seen, status } = outcome as TraceOutcome;
    const lists = found?.sections.filter(({ name }) => name !== 'coverage') ?? [];
    return {
      atService: status === 'cancelled' ? (seen?.statusWord ?? null) : null,
      sources: seen?.sources == null ? null : Object.keys(seen.sources).length,
      partial: seen?.partial ?? null,
      occurrences: found === null ? null : lists.reduce((sum, { rows }) => sum + rows.length, 0),
    };
  },
  lens: (outcome, { found }) => {
    const { seen } = outcome as LensOutcome;
    const lists = found?.sections ?? [];
    return {
      mode: seen?.mode ?? null,
      hypotheses: found === null ? null : lists.reduce((sum, { rows }) => sum + rows.length, 0),
    };
  },
  dossier: (outcome) => {
    const { coverage, mode, remote, review, risk, stale, status } = outcome as DossierOutcome;
    const phases = coverage && `${coverage.completed ?? '?'}/${coverage.eligible ?? '?'}`;
    return {
      atService: status === 'cancelled' ? remote : null,
      mode,
      phases,
      stale,
      riskStatus: risk === null ? null : (risk.status ?? risk.form),
      riskLevel: risk?.level ?? null,
      riskScore: risk?.score ?? null,
      riskRules: risk === null || risk.form === 'omitted' ? null : risk.matchedRules,
      review: review && `${review.action} (${review.by}): ${review.note}`,
    };
  },
  'credit-analysis': (outcome) => {
    const { operationId, result } = outcome as AnalysisOutcome;
    const { approved, alerted, blocked, receivables } = result?.summary ?? noCounts;
    const contradictions = result?.contradictions.join('; ') ?? '';
    return {
      operationId,
      receivables,
      approved,
      alerted,
      blocked,
      contradictions: contradictions === '' ? null : contradictions,
    };
  },
  'monitor-sweep': (outcome) => {
    const { backlog, counts, fault, health, warnings } = outcome as SweepOutcome;
    const notes = [...warnings, ...health.map(({ kind }) => kind)];
    return {
      newChanges: counts.stored,
      delivered: counts.delivered,
      acknowledged: counts.acknowledged,
      notDelivered: backlog.undelivered || null,
      notReadable: backlog.unreadable || null,
      sweepFault: fault?.fault ?? null,
      notes: notes.length === 0 ? null : notes.join('; '),
    };
  },
};

const noCounts = { approved: null, alerted: null, blocked: null, receivables: null };
