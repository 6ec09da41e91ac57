import { certificateFolder } from '../../domain/certificates/job';
import { analysisFolder } from '../../domain/credit/job';
import { dossierFolder, type DossierRecord } from '../../domain/dossiers/follow';
import type { StepKind } from '../../domain/investigations/plan';
import { lensFolder } from '../../domain/lens/analyze';
import { profileFolder } from '../../domain/profiles/lookup';
import { traceFolder } from '../../domain/traces/search';
import type {
  AnalyzeCreditInput,
  AnalyzeLensInput,
  FollowDossierInput,
  IssueCertificateInput,
  LookUpProfileInput,
  MonitorSweepInput,
  SearchTraceInput,
} from '../inputs';
import type { PreparedChild } from './activities';

/** Terms shared by all jobs of an investigation. */
export interface ChildTerms {
  deadlineAt: number;
  interactive: boolean;
  queueSuffix: string;
}

type Input = (child: PreparedChild, common: ChildTerms) => object;

const inputs: Readonly<Record<StepKind, readonly [workflow: string, input: Input]>> = {
  profile: [
    'lookUpProfile',
    ({ jobId, terms }, common): LookUpProfileInput => ({
      ...common,
      ref: { jobId, folder: profileFolder(jobId) },
      retryRural: terms['retryRural'] === true,
    }),
  ],
  certificate: [
    'issueCertificate',
    ({ jobId, terms }, { deadlineAt, ...common }): IssueCertificateInput => {
      const folder = certificateFolder(jobId);
      return {
        jobId,
        list: { folder, items: 1, outcomesIn: folder },
        terms: {
          ...common,
          reuseSince: Number(terms['reuseSince']),
          rowDeadlineMs: Number(terms['rowDeadlineMs']),
          requestUntil: deadlineAt,
          onUnknown: 'report',
        },
      };
    },
  ],
  trace: [
    'searchTrace',
    ({ jobId }, common): SearchTraceInput => ({
      ...common,
      ref: { jobId, folder: traceFolder(jobId) },
    }),
  ],
  dossier: [
    'followDossier',
    ({ jobId, terms }, common): FollowDossierInput => {
      const record = terms['record'] as DossierRecord;
      const { dossierId, maxAttempts, onReview } = record;
      return {
        ...common,
        ref: { jobId, folder: dossierFolder(jobId), dossierId },
        maxAttempts,
        onReview,
        toCancel: record.toCancel,
        atOnce: false,
        record,
      };
    },
  ],
  lens: [
    'analyzeLens',
    ({ jobId, terms }, common): AnalyzeLensInput => ({
      ...common,
      ref: { jobId, folder: lensFolder(jobId) },
      attempt: Number(terms['attempt']),
    }),
  ],
  credit: [
    'analyzeCredit',
    ({ jobId, terms }, { deadlineAt, queueSuffix }): AnalyzeCreditInput => ({
      ref: { jobId, folder: analysisFolder(jobId) },
      ...(terms['namesEngine'] === true && { namesEngine: true }),
      deadlineAt,
      queueSuffix,
    }),
  ],
  monitor: [
    'monitorSweep',
    ({ terms }, { interactive, queueSuffix }): MonitorSweepInput => ({
      record: terms['record'] as MonitorSweepInput['record'],
      interactive,
      queueSuffix,
      carryover: null,
    }),
  ],
};

/** The workflow of a job, and its input. */
export function childStart(
  child: PreparedChild,
  common: ChildTerms,
): { workflow: string; input: object } {
  const [workflow, input] = inputs[child.kind];
  return { workflow, input: input(child, common) };
}
