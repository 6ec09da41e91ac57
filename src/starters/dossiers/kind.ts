import { billed } from '../../domain/core/service/billing-totals';
import {
  dossierWorkflowId,
  type AttemptSeen,
  type DossierOutcome,
  type DossierRecord,
  type DossierStatus,
} from '../../domain/dossiers/follow';
import type { Charge, JobKind } from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { dossierFindings } from './findings';
import { artifactName, writeDossierFolder } from './folder';
import { phasesLine } from './phases';

export const dossierKind: JobKind<DossierRecord, DossierOutcome> = {
  kind: 'dossier',
  prefix: 'dossier/',
  noun: 'dossier',
  service: 'investigation',
  workflowId: ({ dossierId }) => dossierWorkflowId(dossierId),
  describe: ({ dossierId }) => dossierId,
  terms: ({ deadlineMs, label, maxAttempts, onReview, rerun }) => ({
    rerun,
    deadline: deadlineMs,
    label,
    maxAttempts,
    onReview,
  }),
  readProgress: async (engine, workflowId) => {
    const progress = await progressOfOne(engine, workflowId);
    if (progress === null) return null;
    const { details, stage } = progress;
    if (stage === 'review') {
      return { ...progress, stage: 'waits for a review (`diligence inbox`)' };
    }
    const phases = await phasesLine(engine, workflowId);
    return { ...progress, details: phases === null ? details : [...details, phases] };
  },
  lines: ({ outcome }) => dossierLines(outcome),
  findings: dossierFindings,
  artifacts: ({ outcome: { filed } }) =>
    filed.map((artifact, index) => {
      const { bytes, mediaType, sha256 } = artifact;
      return { name: artifactName(artifact, index), bytes, sha256, mediaType };
    }),
  cost: ({ outcome }) => billed(chargesOf(outcome).map(({ billing }) => billing)),
  charges: ({ outcome }) => chargesOf(outcome),
  asked: ({ outcome: { caused, possibleAttempt } }) => {
    const possible = possibleAttempt ? 1 : 0;
    return { requested: caused + possible, reused: 0, possibleDoubleCharges: possible };
  },
  heeds: ['lang'],
  export: writeDossierFolder,
  resolver: () => (require('./resolve') as typeof import('./resolve')).dossierResolver,
  orders: ['cancel', 'cancel_now'],
  cancelsRemotely: true,
};

/** Whoever has followed it has seen its attempts: each is charged once. */
function chargesOf({ attempts, dossierId }: DossierOutcome): Charge[] {
  return attempts.map(({ billing, number }) => ({ of: `dossier/${dossierId}/${number}`, billing }));
}

const words: Record<DossierStatus, string> = {
  completed: 'completed',
  needs_review: 'needs a review: nobody has decided',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired: it had not settled in time',
  refused: 'refused by the service',
};

export function dossierLines(outcome: DossierOutcome): string[] {
  const { attempts, caused, coverage, error, note, possibleAttempt, remote, risk } = outcome;
  const lines: string[] = [words[outcome.status]];
  if (remote !== null && remote !== outcome.status) lines.push(`  the service says ${remote}`);
  for (const attempt of attempts) lines.push(`  ${attemptLine(attempt)}`);
  if (caused > 0) lines.push(`  attempts caused by this job: ${caused}`);
  if (possibleAttempt) {
    lines.push(
      '  one more attempt may have been begun: its answer was lost, and it may be charged',
    );
  }
  if (coverage !== null) {
    const { completed, eligible, status } = coverage;
    lines.push(`  coverage   ${completed ?? '?'} of ${eligible ?? '?'} (${status ?? 'not told'})`);
  }
  if (outcome.stale === true)
    lines.push('  stale      the service holds data newer than the report');
  if (risk !== null) lines.push(`  risk       ${riskLine(risk)}`);
  if (outcome.review !== null) {
    const { action, by, note: why } = outcome.review;
    lines.push(`  review     ${action}, by ${by}: ${why}`);
  }
  for (const { bytes, sha256, type } of outcome.filed) {
    lines.push(`  stored     ${type ?? 'file'}, ${bytes} bytes, sha256 ${sha256}`);
  }
  for (const { type, why } of outcome.unfiled) {
    lines.push(`  missing    ${type ?? 'file'}: ${why}`);
  }
  if (note !== null) lines.push(`  note       ${note}`);
  if (error !== null) lines.push(`  error      ${error.code ?? '-'}: ${error.message}`);
  return lines;
}

function riskLine({
  form,
  level,
  matchedRules,
  missingFields,
  score,
  status,
}: NonNullable<DossierOutcome['risk']>): string {
  if (form === 'omitted') return 'none: no matrix was supplied, or it was not evaluated';
  if (form === 'insufficient_data') return `insufficient data (${missingFields} fields missing)`;
  const known = level ?? 'no level';
  if (form === 'classified') {
    return `${known}, score ${score ?? '-'}, ${matchedRules} rules matched`;
  }
  return `${status ?? 'not told'}: ${known}`;
}

function attemptLine({ billing, number, status }: AttemptSeen): string {
  const cost =
    billing === null
      ? 'billing not told'
      : `${billing.status ?? 'not told'} ${billing.amount ?? '-'} ${billing.unit ?? ''}`.trimEnd();
  return `attempt ${number}  ${(status ?? 'not told').padEnd(12)} ${cost}`;
}
