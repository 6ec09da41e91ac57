import { z } from 'zod';
import { dossierStates, type Dossier } from '../../../domain/dossiers/dossier';
import { isUuid } from '../../../domain/core/documents/documents';
import { camel, flag, number, tolerant } from '../../http/tolerant';
import {
  artifacts,
  failure,
  id,
  listAsItCame,
  pollAfterMs,
  reported,
  stateOf,
} from './wire-fields';

/** The service's shape of a dossier (specification: "Dossier"), and ours. */

const attemptBilling = tolerant(
  camel({
    id: reported,
    status: reported,
    amount: number,
    unit: reported,
    price_version: reported,
    billing_policy_version: reported,
  }).transform(({ billingPolicyVersion, id: billingId, ...billing }) => {
    return { ...billing, billingId, policyVersion: billingPolicyVersion };
  }),
);

const attempt = tolerant(z.object({ number, status: reported, billing: attemptBilling }));

/** A list without the entries that are none. */
function entriesOf<T>(entry: z.ZodType<T>) {
  return listAsItCame.transform((list) =>
    (list ?? []).flatMap((one) => {
      const read = entry.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );
}

const coverage = tolerant(
  z.object({
    status: reported,
    completed: number,
    eligible: number,
    phases: entriesOf(z.object({ phase: reported, status: reported })),
  }),
);

const risk = tolerant(
  camel({
    status: reported,
    level: reported,
    score: number,
    matched_rules: entriesOf(z.object({ id: reported, score: number, description: reported })),
    missing_fields: entriesOf(z.string()),
  }),
);

export const dossierWire = camel({
  id,
  status: reported,
  subject_type: reported,
  mode: reported,
  kind: reported,
  current_attempt: attempt,
  coverage,
  artifacts,
  stale: flag,
  result: tolerant(z.object({ report_schema: listAsItCame, risk_classification: risk })),
  risk_classification: risk,
  failure,
  poll_after_seconds: pollAfterMs,
  created_at: reported,
  updated_at: reported,
}).transform((read): Dossier => {
  const { currentAttempt, id: named, pollAfterSeconds, result, riskClassification, ...wire } = read;
  const { status, ...rest } = wire;
  return {
    ...rest,
    // Job id and key contain it: normalise the spelling.
    dossierId: isUuid(named) ? named.toLowerCase() : named,
    ...stateOf(dossierStates, status),
    attempt: currentAttempt,
    reportSchema: result?.report_schema ?? null,
    risk: riskClassification ?? result?.risk_classification ?? null,
    pollAfterMs: pollAfterSeconds,
  };
});
