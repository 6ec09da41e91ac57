import { type ProfileOutcome, type ProfileRecord } from '../../domain/profiles/lookup';
import type { ProfileStatus } from '../../domain/profiles/kinds';
import { profileSubject, sentBy } from '../../domain/core/service/attempts';
import { billed } from '../../domain/core/service/billing-totals';
import { maskDocument } from '../../domain/core/documents/documents';
import { requestedFor, type Charge, type EndedJob, type JobKind } from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { lostCalls, answeredCharges } from '../jobs/batches/rules';
import { errorWords } from '../jobs/text';
import type { Words } from '../../domain/job';
import type { Reader } from '../../report/reader';
import { nameOf } from '../../report/words';
import { profileFindings } from './findings';
import { ProfileRepository } from '../../store/profiles/profiles';
import { jobBatchKind } from '../jobs/batches/batch-kind';

export const profileKind: JobKind<ProfileRecord, ProfileOutcome> = {
  kind: 'profile',
  prefix: 'profile/',
  noun: ['profile of', 'perfil de'],
  service: 'investigation',
  workflowId: ({ name }) => `profile/${name}`,
  describe: ({ cpf }) => maskDocument(cpf),
  terms: ({ deadlineMs, label, rerun, retryRural }) => ({
    deadline: deadlineMs,
    label,
    rerun,
    retryRural,
  }),
  readProgress: progressOfOne,
  lines: ({ outcome }, { reader }) => profileLines(outcome, reader),
  findings: profileFindings,
  artifacts: ({ outcome: { sha256 } }) =>
    sha256 === null
      ? []
      : [{ name: 'profile.json', bytes: null, sha256, mediaType: 'application/json' }],
  cost: (job) => billed(chargesOf(job).map(({ billing }) => billing)),
  charges: chargesOf,
  workflow: 'lookUpProfile',
  args: (_, { input: { retryRural } }) => ({ retryRural }),
  subject: (_, { input }) => profileSubject(input.name),
  requests: (job, ctx) => requestedFor(ctx, profileSubject(job.input.name), job),
  heeds: ['excel', 'lang'],
  export: async (ctx, { folder: from, outcome }, folder, { excel }) => {
    if (outcome.status !== 'found' || outcome.erased === true) return [];
    const { writeProfileFolder } = require('./folder') as typeof import('./folder');
    return writeProfileFolder(ctx, from, outcome, { folder, excel });
  },
  orders: ['cancel', 'cancel_now'],
};

/** The service reports no cost: an answered request may be charged. */
function chargesOf({ id, outcome }: Pick<EndedJob<unknown, ProfileOutcome>, 'id' | 'outcome'>) {
  const billing = { status: null, amount: null, unit: 'answer' };
  return Array.from({ length: outcome.answered }, (_, at): Charge => {
    return { of: `${id}/${at}`, billing };
  });
}

const words: Record<ProfileStatus, Words> = {
  found: ['found', 'encontrado'],
  invalid: [
    'invalid: the service finds the CPF invalid',
    'inválido: o serviço considera o CPF inválido',
  ],
  not_found: [
    'not found: the service knows nothing about the CPF',
    'não encontrado: o serviço nada sabe sobre o CPF',
  ],
  refused: ['refused by the service', 'recusado pelo serviço'],
  unreadable: [
    'unreadable: the service answered, and not with a profile',
    'ilegível: o serviço respondeu, e não com um perfil',
  ],
  unknown_outcome: [
    'unknown: calls have left, and no answer could be put on file',
    'desconhecido: chamadas saíram, e nenhuma resposta pôde ser registrada',
  ],
  expired: [
    'expired: the service had not answered at the deadline',
    'prazo esgotado: o serviço não respondeu a tempo',
  ],
  cancelled: ['cancelled', 'cancelado'],
};

const lockedOut: Words = [
  'expired: the service refused our token until the deadline',
  'prazo esgotado: o serviço recusou o nosso token até o fim',
];

function profileLines(outcome: ProfileOutcome, reader: Reader): string[] {
  const { language, say } = reader;
  const { status, counts, rural, call, answered, answersLost, error } = outcome;
  const isLockedOut = status === 'expired' && error?.code === 'credentials';
  const lines: string[] = [say(...(isLockedOut ? lockedOut : words[status]))];
  for (const [section, count] of Object.entries(counts ?? {})) {
    const name = say(section, nameOf(section, language));
    lines.push(`  ${name.padEnd(10)} ${count ?? say('not told', 'não informado')}`);
  }
  if (rural === 'reported') lines.push(say('  rural      reported', '  Rural      informada'));
  if (rural === 'failed') {
    const again = say(
      '`--retry-rural` looks it up anew, twice at most: each answer may be charged for',
      '`--retry-rural` consulta de novo, duas vezes no máximo: cada resposta pode ser cobrada',
    );
    const failed = say('rural      timed out or failed', 'Rural      sem resposta ou com falha');
    lines.push(`  ${failed} (${call === 2 ? say('twice', 'duas vezes') : again})`);
  }
  if (answered > 1)
    lines.push(
      say(
        `  it was answered ${answered} times, and may be charged as often`,
        `  foi respondido ${answered} vezes, e pode ser cobrado outras tantas`,
      ),
    );
  if (answersLost > 0) {
    lines.push(`  ${lostCalls(answersLost, reader)}`);
  }
  if (error !== null) {
    lines.push(`  ${say('error', 'erro').padEnd(10)} ${errorWords(error, reader)}`);
  }
  return lines;
}

export const profileBatchKind = jobBatchKind({
  kind: 'profile-batch',
  service: 'investigation',
  noun: ['lookups', 'consultas'],
  unstarted: 'lost',
  columns: [
    'vehicles',
    'properties',
    'planes',
    'drones',
    'patents',
    'rural',
    'answered',
    'sha256',
    'answers_lost',
  ],
  chargeColumns: ['answered', 'answers_lost'],
  charges: answeredCharges,
  sheets: (folder, how) => {
    const { ProfileSheets } = require('./sheets') as typeof import('./sheets');
    return new ProfileSheets(folder, how);
  },
  child: profileKind,
  hasPages: true,
  shown: ({ answered, answersLost, call, counts, rural, sha256 }) => {
    return { cells: { ...counts, rural, call, answered, sha256, answers_lost: answersLost } };
  },
  answer: async (store, { folder, outcome: { call } }) =>
    call === null ? null : new ProfileRepository(store).answer(folder, call),
  hasStarted: async ({ attempts }, { id, input }) =>
    sentBy(await attempts.of(profileSubject(input.name)), id) > 0,
});
