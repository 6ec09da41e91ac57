import { z } from 'zod';
import { stepStatuses } from '../../domain/investigations/investigation';
import { jobKinds } from '../../domain/job';

/** `report.json` and `manifest.json`: facts as the services state them. Their JSON Schemas are in `dist/schemas`. */

export const manifestName = 'manifest.json';
export const signatureName = 'manifest.sig';

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const word = z.string().nullable();

const cost = z.strictObject({
  status: word,
  unit: word,
  count: z.number().int(),
  amount: z.number().nullable(),
});

const validity = z
  .strictObject({
    validUntil: z.string().describe('the last day'),
    rule: z.string(),
    source: z.string().describe('of the rule, in law'),
  })
  .describe('derived by a rule, not told by the service');

const kind = z.enum(jobKinds);

const table = z.strictObject({
  step: z.string(),
  name: z.string().describe('the list, in the word of the service; empty: single values'),
  file: word.describe('of the evidence, that holds all of it'),
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
  total: z.number().int().describe('rows, of which the first are here'),
});

const origin = {
  step: z.string(),
  job: z.string(),
  source: z.string().describe('which service'),
  endpoint: z.string(),
  requestId: word.describe('that the service gave'),
  capturedAt: z.string(),
  requestedBy: z.string(),
  validity: validity.nullable(),
};
const file = { path: z.string(), bytes: z.number().int(), sha256: z.string() };

export const reportSchema = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  status: z.enum(['completed', 'incomplete', 'cancelled']),
  error: word.describe('why it is incomplete'),
  plan: z.strictObject({ name: z.string(), title: z.string() }),
  subject: z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()])),
  requested: z.strictObject({ by: z.string(), at: z.string(), label: word }),
  settledAt: z.string(),
  findings: z.array(
    z.strictObject({
      step: z.string(),
      kind,
      job: z.string(),
      status: word,
      facts: z.array(z.strictObject({ what: z.string(), value: cell })),
    }),
  ),
  coverage: z.array(
    z.strictObject({
      step: z.string(),
      kind: z.string(),
      needs: z.array(z.string()),
      required: z.boolean(),
      status: z.enum(stepStatuses),
      why: word,
      requested: z.number().int(),
      answered: z.number().int(),
    }),
  ),
  certificates: z.array(
    z.strictObject({
      step: z.string(),
      document: z.string(),
      type: z.string(),
      status: z.string(),
      officialName: word,
      holderName: word,
      baseName: word,
      sourceName: word,
      classification: word,
      divergent: z.boolean().nullable(),
      capturedAt: word,
      validity: validity.nullable(),
      file: word,
    }),
  ),
  assets: z.strictObject({
    totals: z.array(
      z.strictObject({
        name: z.string(),
        count: z.number().int(),
        value: z.number().nullable().describe('BRL, of those that have one'),
      }),
    ),
    people: z.array(
      z.strictObject({
        step: z.string(),
        document: z.string(),
        rural: z.enum(['reported', 'failed']).nullable(),
        tables: z.array(table),
      }),
    ),
  }),
  occurrences: z.array(table),
  pictures: z.array(table),
  risk: z.array(table),
  credit: z.array(table),
  changes: z.array(table),
  divergences: z.array(
    z.strictObject({
      document: z.string(),
      about: z.enum(['name', 'situation']),
      values: z.array(z.strictObject({ value: z.string(), sources: z.array(z.string()) })),
    }),
  ),
  timeline: z.array(
    z.strictObject({
      step: z.string(),
      job: z.string(),
      kind,
      status: word,
      result: z.enum(['answered', 'refused', 'undecided', 'cancelled']),
      reused: z.boolean(),
      from: z.string(),
      startedAt: word,
      endedAt: word,
      requested: z.number().int(),
      unanswered: z.number().int(),
      cost: z.array(cost),
    }),
  ),
  requests: z.strictObject({
    requested: z.number().int().describe('sent, or may have been, by jobs of this investigation'),
    reused: z.number().int().describe('results that were there already'),
    possibleDoubleCharges: z.number().int(),
    unanswered: z.number().int().describe('of those requested: may still be charged'),
  }),
  cost: z.array(cost).describe('of what this investigation asked for, as the services reported it'),
  evidence: z.array(z.strictObject({ ...file, ...origin })),
});

const link = z.strictObject({
  number: z.number().int(),
  at: z.string(),
  prev: z.string(),
  hash: z.string(),
  text: word,
});

export const manifestSchema = z.strictObject({
  version: z.literal(1),
  investigation: z.string(),
  plan: z.string(),
  requestedBy: z.string(),
  requestedAt: z.string(),
  settledAt: z.string(),
  files: z.array(z.strictObject({ ...file, evidence: z.strictObject(origin).nullable() })),
  audit: z.strictObject({
    names: z
      .record(z.string(), z.string())
      .describe('keyed names by the numbers that stand for them in the texts'),
    chains: z.array(
      z.strictObject({ chain: z.string(), beginning: z.string(), links: z.array(link) }),
    ),
    anchors: z.array(link.extend({ text: z.string() })),
  }),
});

export type InvestigationReport = z.infer<typeof reportSchema>;
export type Finding = InvestigationReport['findings'][number];
export type CoverageRow = InvestigationReport['coverage'][number];
export type CertificateRow = InvestigationReport['certificates'][number];
export type AssetTotal = InvestigationReport['assets']['totals'][number];
export type ReportTable = z.infer<typeof table>;
export type DerivedValidity = z.infer<typeof validity>;
export type SentRequests = InvestigationReport['requests'];
export type EvidenceRow = InvestigationReport['evidence'][number];
/** All files except the manifest and its signature. Its bytes are signed. */
export type Manifest = z.infer<typeof manifestSchema>;
export type TimelineRow = InvestigationReport['timeline'][number];
