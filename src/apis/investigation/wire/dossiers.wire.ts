import { z } from 'zod';
import { isUuid } from '../../../domain/core/uuid';
import {
  dossierStates,
  type AttemptBilling,
  type Dossier,
  type DossierAttempt,
  type DossierCoverage,
  type RiskClassification,
} from '../../../domain/dossiers/dossier';
import { ContractError, type CallName } from '../../http/errors';
import { parseJson } from '../../http/problem';
import {
  artifacts,
  failure,
  flag,
  id,
  isSameId,
  listAsItCame,
  number,
  parseWire,
  pollAfterMs,
  stateOf,
  reported,
} from './wire-fields';

/** The service's shape of a dossier (specification: "Dossier"), and ours. */

const attemptBilling = z
  .object({
    id: reported,
    status: reported,
    amount: number,
    unit: reported,
    price_version: reported,
    billing_policy_version: reported,
  })
  .nullish()
  .catch(null)
  .transform((wire): AttemptBilling | null =>
    wire == null
      ? null
      : {
          billingId: wire.id,
          status: wire.status,
          amount: wire.amount,
          unit: wire.unit,
          priceVersion: wire.price_version,
          policyVersion: wire.billing_policy_version,
        },
  );

const attempt = z
  .object({
    id: reported,
    number,
    status: reported,
    queued_at: reported,
    started_at: reported,
    completed_at: reported,
    billing: attemptBilling,
  })
  .nullish()
  .catch(null)
  .transform((wire): DossierAttempt | null =>
    wire == null
      ? null
      : {
          attemptId: wire.id,
          number: wire.number,
          status: wire.status,
          queuedAt: wire.queued_at,
          startedAt: wire.started_at,
          completedAt: wire.completed_at,
          billing: wire.billing,
        },
  );

const phases = listAsItCame.transform((list) =>
  (list ?? []).flatMap((one) => {
    const read = z.object({ phase: reported, status: reported }).safeParse(one);
    return read.success ? [read.data] : [];
  }),
);

const coverage = z
  .object({ status: reported, completed: number, eligible: number, phases })
  .nullish()
  .catch(null)
  .transform((wire): DossierCoverage | null => wire ?? null);

const matchedRules = listAsItCame.transform((list) =>
  (list ?? []).flatMap((one) => {
    const read = z.object({ id: reported, score: number, description: reported }).safeParse(one);
    return read.success ? [read.data] : [];
  }),
);

const texts = listAsItCame.transform((list) =>
  (list ?? []).filter((one): one is string => typeof one === 'string'),
);

const risk = z
  .object({
    matrix_id: reported,
    matrix_version: reported,
    status: reported,
    level: reported,
    score: number,
    matched_rules: matchedRules,
    missing_fields: texts,
  })
  .nullish()
  .catch(null)
  .transform((wire): RiskClassification | null =>
    wire == null
      ? null
      : {
          matrixId: wire.matrix_id,
          matrixVersion: wire.matrix_version,
          status: wire.status,
          level: wire.level,
          score: wire.score,
          matchedRules: wire.matched_rules,
          missingFields: wire.missing_fields,
        },
  );

const result = z
  .object({ report_schema: listAsItCame, risk_classification: risk })
  .nullish()
  .catch(null);

export const dossierWire = z
  .object({
    id,
    status: reported,
    subject_type: reported,
    mode: reported,
    kind: reported,
    contract_version: reported,
    billing_policy_version: reported,
    current_attempt: attempt,
    coverage,
    artifacts,
    stale: flag,
    result,
    risk_classification: risk,
    failure,
    poll_after_seconds: pollAfterMs,
    created_at: reported,
    updated_at: reported,
  })
  .transform((wire): Dossier => ({
    // Job id and key contain it: normalise the spelling.
    dossierId: isUuid(wire.id) ? wire.id.toLowerCase() : wire.id,
    state: stateOf(dossierStates, wire.status),
    statusWord: wire.status,
    subjectType: wire.subject_type,
    mode: wire.mode,
    kind: wire.kind,
    contractVersion: wire.contract_version,
    billingPolicyVersion: wire.billing_policy_version,
    attempt: wire.current_attempt,
    coverage: wire.coverage,
    artifacts: wire.artifacts,
    stale: wire.stale,
    reportSchema: wire.result?.report_schema ?? null,
    risk: wire.risk_classification ?? wire.result?.risk_classification ?? null,
    failure: wire.failure,
    pollAfterMs: wire.poll_after_seconds,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  }));

/**
 * @param dossierId the requested dossier: a response about another one is rejected
 * @throws ContractError when the body is not JSON or lacks a required field
 */
export function dossierFromWire(call: CallName, dossierId: string, body: Buffer): Dossier {
  const dossier = parseWire(dossierWire, call, parseJson(body));
  if (isSameId(dossier.dossierId, dossierId)) return dossier;
  throw new ContractError(call, [{ path: 'id', code: 'another_dossier' }]);
}
