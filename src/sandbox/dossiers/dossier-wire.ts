/** Dossiers as the service shows them (section Dossier). Absent means no value. */

import { draw, pick, seededUuid } from '../core/chance';
import { failureOf } from '../core/work';
import { iso, type JsonObject } from '../http/answer';
import type { DossierScenario, DossierStatus } from './dossier-scenario';
import {
  currentOf,
  isSettledAt,
  phaseEnds,
  settlesAt,
  statusAt,
  type Attempt,
  type HeldDossier,
} from './held-dossier';

export interface DossierView {
  seed: number;
  now: number;
  scenario: DossierScenario;
  /** `held` shows all there is. */
  read: 'status' | 'list' | 'held';
  /** Address of the PDF, good until the instant. */
  link: (dossier: HeldDossier, expiresAt: number) => string;
}

const contract = { contract_version: '2026-01', billing_policy_version: '2026-01' };
const usualPhases = ['identificacao', 'patrimonio', 'processos', 'relacionamentos', 'relatorio'];
const failureWords = {
  codes: ['fonte_indisponivel', 'coleta_falhou'],
  message: 'A coleta falhou (simulada).',
} as const;
/** States in which the work is done and its report is there. */
const reported: readonly DossierStatus[] = ['completed', 'needs_review'];

export function dossierOnWire(dossier: HeldDossier, view: DossierView): JsonObject {
  const { now, scenario } = view;
  const { script } = dossier;
  const attempt = currentOf(dossier);
  const status = statusAt(attempt, now);
  const shown = view.read === 'held' || [view.read, 'both'].includes(script.shownIn);
  const risk = reported.includes(status) ? riskOf(dossier, view) : null;
  const { pollAfterSeconds } = scenario;
  const waits = !isSettledAt(attempt, now) && pollAfterSeconds !== null;
  return {
    id: dossier.id,
    object: 'dossie',
    status,
    subject_type: subjectTypeOf(dossier, view.seed),
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
    ...(waits ? { poll_after_seconds: pollAfterSeconds } : {}),
    created_at: iso(dossier.createdAt),
    updated_at: iso(movedAt(dossier, now)),
  };
}

function subjectTypeOf({ id, script }: HeldDossier, seed: number): string | null {
  if (script.subject_type !== undefined) return script.subject_type;
  return script.mode === 'provided_data' ? null : pick(['cpf', 'cnpj'], seed, 'subject', id);
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

function coverageOf(dossier: HeldDossier, now: number): JsonObject {
  const { missingPhases, phases = usualPhases } = dossier.script;
  const attempt = currentOf(dossier);
  const seen = Math.min(now, settlesAt(attempt));
  const ends = phaseEnds(attempt, phases.length);
  const current = ends.findIndex((end) => end > seen);
  const shown = phases.map((phase, index) => {
    if (current !== -1 && index > current) return { phase, status: 'pending' };
    if (index === current) return { phase, status: phaseInWork(attempt, now) };
    return { phase, status: missingPhases.includes(phase) ? 'unavailable' : 'completed' };
  });
  const completed = shown.filter(({ status }) => status === 'completed').length;
  return {
    status: coverageWord(completed, phases.length, isSettledAt(attempt, now)),
    completed,
    eligible: phases.length,
    phases: shown,
  };
}

function phaseInWork(attempt: Attempt, now: number): string {
  const status = statusAt(attempt, now);
  if (status === 'queued') return 'pending';
  return status === 'cancelled' ? 'cancelled' : 'running';
}

function coverageWord(completed: number, eligible: number, settled: boolean): string {
  if (!settled) return completed === 0 ? 'pending' : 'collecting';
  return completed === eligible ? 'complete' : 'partial';
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

export function artifactIdOf({ id }: Attempt): string {
  return seededUuid(`artifact|${id}`);
}

export function hasPdf(dossier: HeldDossier, scenario: DossierScenario, now: number): boolean {
  const attempt = currentOf(dossier);
  return (
    reported.includes(statusAt(attempt, now)) && now < settlesAt(attempt) + scenario.availableMs
  );
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
function riskOf({ id, script }: HeldDossier, { seed }: DossierView): JsonObject | null {
  if (script.risk === 'none') return null;
  const matrix = { matrix_id: seededUuid(`matrix|${seed}`), matrix_version: '3' };
  const incomplete = script.risk === 'insufficient_data' || script.missingPhases.length > 0;
  const score = 30 + Math.floor(draw(seed, 'score', id) * 60);
  const known = {
    status: 'classified',
    level: score < 60 ? 'medio' : 'alto',
    score,
    matched_rules: [
      { id: 'processos_ativos', score: 30, description: 'Processos ativos (simulados)' },
      { id: 'restricoes', score: score - 30, description: 'Restricoes (simuladas)' },
    ],
    missing_fields: [],
  };
  const unknown = {
    status: 'insufficient_data',
    level: null,
    score: null,
    matched_rules: [],
    missing_fields: ['renda_presumida', ...script.missingPhases],
  };
  return { ...matrix, ...(incomplete ? unknown : known) };
}

/** The last instant at which something about it changed. */
function movedAt(dossier: HeldDossier, now: number): number {
  const attempt = currentOf(dossier);
  const ends = phaseEnds(attempt, (dossier.script.phases ?? usualPhases).length);
  const ended = settlesAt(attempt);
  const moments = [attempt.startsAt, ...ends].filter((at) => at <= ended);
  return Math.max(
    attempt.createdAt,
    ...[...moments, ended, attempt.cancelledAt].filter((at) => Number.isFinite(at) && at <= now),
  );
}
