/**
 * A dossier that the service holds, the attempts at it, and how the service shows it (section Dossier). What an
 * attempt will be is fixed when it begins. Absent means no value.
 */

import { draw, pick, seededUuid } from '../core/chance';
import { beginWork, failureOf, pollHint, statusOf, type Work } from '../core/work';
import { endingAt } from '../faults/fault-plan';
import { iso, type JsonObject } from '../http/answer';
import { dossierEndings, type DossierEnding, type DossierScenario } from './dossier-scenario';
import type { DossierScript, DossierStatus } from './dossier-scenario';

export interface HeldDossier {
  id: string;
  script: DossierScript;
  createdAt: number;
  /** All that began here, the current one last. */
  attempts: [Attempt, ...Attempt[]];
  /** Calls that arrived about it. */
  counts: { statusReads: number; retryRequests: number; cancelRequests: number; pdfs: number };
}

export interface Attempt extends Work<DossierEnding> {
  id: string;
  number: number;
  /** Who asked for it; `start`: it was there when the sandbox began. */
  by: 'start' | 'client' | 'other';
  /** The instant from which it is cancelled, also out of a review; infinite without that. */
  cancelledAt: number;
}

export interface DossierView {
  seed: number;
  now: number;
  scenario: DossierScenario;
  /** `held` shows all there is. */
  read: 'status' | 'list' | 'held';
  /** Address of the PDF, good until the instant. */
  link: (dossier: HeldDossier, expiresAt: number) => string;
}

/** The next one at this dossier; its ending follows from how many there were before. */
export function nextAttempt(
  { id, script, attempts }: { id: string; script: DossierScript; attempts: readonly Attempt[] },
  by: Attempt['by'],
  { now, scenario, seed }: Pick<DossierView, 'now' | 'scenario' | 'seed'>,
): Attempt {
  const number = attempts.length + 1;
  const words = [seed, 'dossier', id, number];
  return {
    ...beginWork(now, endingAt(script.end, attempts.length), scenario.timing, words, script),
    id: seededUuid(`attempt|${words.join('|')}`),
    number,
    by,
    cancelledAt: Number.POSITIVE_INFINITY,
  };
}

export const currentOf = ({ attempts }: HeldDossier): Attempt => attempts.at(-1) ?? attempts[0];

export function statusAt(attempt: Attempt, now: number): DossierStatus {
  const { cancelledAt, ending, endsAt } = attempt;
  const isOpen = cancelledAt < endsAt || ending === 'needs_review';
  if (isOpen && now >= cancelledAt) return 'cancelled';
  const before = ['queued', 'running'] as const;
  return statusOf<DossierEnding, DossierStatus>(attempt, now, before, dossierEndings);
}

/** Whether a cancellation can still change anything. */
export const isCancellableAt = (attempt: Attempt, now: number): boolean =>
  ['queued', 'running', 'needs_review'].includes(statusAt(attempt, now));

/** The instant it settles; infinite when it never does. */
const settlesAt = ({ cancelledAt, endsAt }: Attempt): number => Math.min(cancelledAt, endsAt);
const isSettledAt = (attempt: Attempt, now: number): boolean => now >= settlesAt(attempt);

export const artifactIdOf = ({ id }: Attempt): string => seededUuid(`artifact|${id}`);

/** States in which the work is done and its report is there. */
const reported: readonly DossierStatus[] = ['completed', 'needs_review'];

export function hasPdf(dossier: HeldDossier, scenario: DossierScenario, now: number): boolean {
  const attempt = currentOf(dossier);
  const isThere = now < settlesAt(attempt) + scenario.availableMs;
  return isThere && reported.includes(statusAt(attempt, now));
}

const contract = { contract_version: '2026-01', billing_policy_version: '2026-01' };
const usualPhases = ['identificacao', 'patrimonio', 'processos', 'relacionamentos', 'relatorio'];
const failureWords = {
  codes: ['fonte_indisponivel', 'coleta_falhou'],
  message: 'A coleta falhou (simulada).',
} as const;

export function dossierOnWire(dossier: HeldDossier, view: DossierView): JsonObject {
  const { now, scenario, seed } = view;
  const { id, script } = dossier;
  const attempt = currentOf(dossier);
  const status = statusAt(attempt, now);
  const shown = view.read === 'held' || [view.read, 'both'].includes(script.shownIn);
  const risk = reported.includes(status) ? riskOf(dossier, seed) : null;
  const drawn = script.mode === 'provided_data' ? null : pick(['cpf', 'cnpj'], seed, 'subject', id);
  return {
    id,
    object: 'dossie',
    status,
    subject_type: script.subject_type === undefined ? drawn : script.subject_type,
    mode: script.mode,
    kind: script.kind,
    ...contract,
    current_attempt: attemptOnWire(attempt, view),
    coverage: coverageOf(dossier, now),
    ...(shown ? { artifacts: artifactsOf(dossier, view) } : {}),
    stale: script.stale,
    ...(shown && reported.includes(status) ? { result: resultOf(dossier, risk) } : {}),
    ...(risk === null ? {} : { risk_classification: risk }),
    ...(status === 'failed'
      ? { failure: failureOf(attempt.ending, failureWords, script.failure) }
      : {}),
    ...pollHint(scenario.pollAfterSeconds, isSettledAt(attempt, now)),
    created_at: iso(dossier.createdAt),
    updated_at: iso(movedAt(dossier, now)),
  };
}

function attemptOnWire(attempt: Attempt, { now, seed }: DossierView): JsonObject {
  const { id, number, createdAt, startsAt } = attempt;
  const status = statusAt(attempt, now);
  const ended = settlesAt(attempt);
  const billing = reported.includes(status)
    ? { status: 'charged', amount: 40 + Math.floor(draw(seed, 'amount', id) * 40) }
    : { status: isSettledAt(attempt, now) ? 'not_charged' : 'pending', amount: 0 };
  return {
    id,
    number,
    status,
    queued_at: iso(createdAt),
    ...(now >= startsAt && ended >= startsAt ? { started_at: iso(startsAt) } : {}),
    ...(now >= ended ? { completed_at: iso(ended) } : {}),
    billing: {
      id: seededUuid(`billing|${id}`),
      ...billing,
      unit: 'tokens',
      price_version: '2026-01',
      billing_policy_version: contract.billing_policy_version,
    },
  };
}

/** Instants at which each of the phases is done, spread evenly over the work. */
function phaseEnds({ startsAt, endsAt }: Attempt, phases: number): number[] {
  const span = Number.isFinite(endsAt) ? endsAt - startsAt : Number.POSITIVE_INFINITY;
  return Array.from({ length: phases }, (_, index) => startsAt + (span * (index + 1)) / phases);
}

function coverageOf(dossier: HeldDossier, now: number): JsonObject {
  const { missingPhases, phases = usualPhases } = dossier.script;
  const attempt = currentOf(dossier);
  const seen = Math.min(now, settlesAt(attempt));
  const current = phaseEnds(attempt, phases.length).findIndex((end) => end > seen);
  const status = statusAt(attempt, now);
  const inWork = status === 'queued' ? 'pending' : 'running';
  const shown = phases.map((phase, index) => {
    if (current !== -1 && index > current) return { phase, status: 'pending' };
    if (index === current) return { phase, status: status === 'cancelled' ? status : inWork };
    return { phase, status: missingPhases.includes(phase) ? 'unavailable' : 'completed' };
  });
  const completed = shown.filter((one) => one.status === 'completed').length;
  const open = completed === 0 ? 'pending' : 'collecting';
  const settled = completed === phases.length ? 'complete' : 'partial';
  return {
    status: isSettledAt(attempt, now) ? settled : open,
    completed,
    eligible: phases.length,
    phases: shown,
  };
}

/** Until it is no longer available. Its address is made anew at every read. */
function artifactsOf(dossier: HeldDossier, { link, now, scenario }: DossierView): JsonObject[] {
  const attempt = currentOf(dossier);
  if (!hasPdf(dossier, scenario, now)) return [];
  const expiresAt = now + scenario.linkMs;
  return [
    {
      id: artifactIdOf(attempt),
      type: 'dossie_pdf',
      media_type: 'application/pdf',
      status: 'available',
      download_url: link(dossier, expiresAt),
      expires_at: iso(expiresAt),
      available_until: iso(settlesAt(attempt) + scenario.availableMs),
    },
  ];
}

function resultOf({ script, id }: HeldDossier, risk: JsonObject | null): JsonObject {
  const { missingPhases, phases = usualPhases } = script;
  return {
    report_schema: phases
      .filter((phase) => !missingPhases.includes(phase))
      .map((phase) => ({
        secao: phase,
        titulo: `Secao ${phase} (simulada)`,
        registros: Math.floor(draw(id, phase) * 40),
      })),
    ...(risk === null ? {} : { risk_classification: risk }),
    ...script.result,
  };
}

/** Null without a matrix. Missing data leaves score and level null (section Dossier). */
function riskOf({ id, script }: HeldDossier, seed: number): JsonObject | null {
  if (script.risk === 'none') return null;
  const matrix = { matrix_id: seededUuid(`matrix|${seed}`), matrix_version: '3' };
  if (script.risk === 'insufficient_data' || script.missingPhases.length > 0) {
    return {
      ...matrix,
      status: 'insufficient_data',
      level: null,
      score: null,
      matched_rules: [],
      missing_fields: ['renda_presumida', ...script.missingPhases],
    };
  }
  const score = 30 + Math.floor(draw(seed, 'score', id) * 60);
  return {
    ...matrix,
    status: 'classified',
    level: score < 60 ? 'medio' : 'alto',
    score,
    matched_rules: [
      { id: 'processos_ativos', score: 30, description: 'Processos ativos (simulados)' },
      { id: 'restricoes', score: score - 30, description: 'Restricoes (simuladas)' },
    ],
    missing_fields: [],
  };
}

/** The last instant at which something about it changed. */
function movedAt(dossier: HeldDossier, now: number): number {
  const attempt = currentOf(dossier);
  const ended = settlesAt(attempt);
  const ends = phaseEnds(attempt, (dossier.script.phases ?? usualPhases).length);
  const moments = [attempt.startsAt, ...ends].filter((at) => at <= ended);
  const moved = [...moments, ended, attempt.cancelledAt].filter(
    (at) => Number.isFinite(at) && at <= now,
  );
  return Math.max(attempt.createdAt, ...moved);
}
