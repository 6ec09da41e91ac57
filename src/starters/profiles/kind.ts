import {
  profileWorkflowId,
  type ProfileOutcome,
  type ProfileRecord,
} from '../../domain/profiles/lookup';
import { profileSubject } from '../../domain/core/service/attempts';
import { billed } from '../../domain/core/service/billing-totals';
import { maskDocument } from '../../domain/core/documents/documents';
import { askedFor, type Charge, type EndedJob, type JobKind } from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { counted } from '../jobs/text';
import { profileFindings } from './findings';

export const profileKind: JobKind<ProfileRecord, ProfileOutcome> = {
  kind: 'profile',
  prefix: 'profile/',
  noun: 'profile of',
  service: 'investigation',
  workflowId: ({ name }) => profileWorkflowId(name),
  describe: ({ cpf }) => maskDocument(cpf),
  terms: ({ deadlineMs, label, rerun, retryRural }) => ({
    deadline: deadlineMs,
    label,
    rerun,
    retryRural,
  }),
  readProgress: progressOfOne,
  lines: ({ outcome }) => profileLines(outcome),
  findings: profileFindings,
  artifacts: ({ outcome: { sha256 } }) =>
    sha256 === null
      ? []
      : [{ name: 'profile.json', bytes: null, sha256, mediaType: 'application/json' }],
  cost: (job) => billed(chargesOf(job).map(({ billing }) => billing)),
  charges: chargesOf,
  asked: (job, ctx) => askedFor(ctx, profileSubject(job.input.name), job),
  heeds: ['excel', 'lang'],
  export: async (ctx, { folder: from, outcome }, folder, { excel }) => {
    if (outcome.status !== 'found' || outcome.erased === true) return [];
    const { writeProfileFolder } = require('./folder') as typeof import('./folder');
    return writeProfileFolder(ctx, from, outcome, { folder, excel });
  },
  resolver: () => (require('./resolve') as typeof import('./resolve')).profileResolver,
  orders: ['cancel', 'cancel_now'],
};

/** The service reports no cost: what it may charge for is an answer. */
function chargesOf({ id, outcome }: Pick<EndedJob<unknown, ProfileOutcome>, 'id' | 'outcome'>) {
  const billing = { status: null, amount: null, unit: 'answer' };
  return Array.from({ length: outcome.answered }, (_, at): Charge => {
    return { of: `${id}/${at}`, billing };
  });
}

const words = {
  found: 'found',
  invalid: 'invalid: the service finds the CPF invalid',
  not_found: 'not found: the service knows nothing about the CPF',
  refused: 'refused by the service',
  unreadable: 'unreadable: the service answered, and not with a profile',
  unknown_outcome: 'unknown: calls have left, and no answer could be put on file',
  expired: 'expired: the service had not answered at the deadline',
  cancelled: 'cancelled',
} as const;

const lockedOut = 'expired: the service refused our token until the deadline';

function profileLines(outcome: ProfileOutcome): string[] {
  const { status, counts, rural, call, answered, answersLost, error } = outcome;
  const isLockedOut = status === 'expired' && error?.code === 'credentials';
  const lines: string[] = [isLockedOut ? lockedOut : words[status]];
  for (const [section, count] of Object.entries(counts ?? {})) {
    lines.push(`  ${section.padEnd(10)} ${count ?? 'not told'}`);
  }
  if (rural === 'told') lines.push('  rural      told');
  if (rural === 'failed') {
    const again = '`--retry-rural` looks it up anew, twice at most: each answer may be charged for';
    lines.push(`  rural      timed out or failed (${call === 2 ? 'twice' : again})`);
  }
  if (answered > 1) lines.push(`  it was answered ${answered} times, and may be charged as often`);
  if (answersLost > 0) {
    lines.push(`  ${counted(answersLost, 'call')} without a readable answer: perhaps charged, too`);
  }
  if (error !== null) lines.push(`  error      ${error.code ?? '-'}: ${error.message}`);
  return lines;
}
