import { profileSubject, sentBy } from '../../domain/core/attempts';
import { readDocument } from '../../domain/core/documents';
import {
  profileFolder,
  type ProfileOutcome,
  type ProfileStatus,
} from '../../domain/profiles/lookup';
import { onlyCell, planThings, type FilledRow, type RowReading } from '../../sheets/plan-rows';
import { readSheet, type InputChoice } from '../../sheets/read-rows';
import { ProfileRepository } from '../../store/profiles/profiles';
import { inputNameOf, type BatchRequest, type StandingJob } from '../jobs/batch';
import { answeredCharges, type BatchKind, type ChildEnd } from '../jobs/batch-kind';
import type { CommandContext } from '../jobs/context';
import { putLookup } from './asks';
import { ProfileSheets } from './sheets';

interface ProfileTerms {
  retryRural: boolean;
  /** Epoch milliseconds: a lookup that was answered since then is not made again. */
  reuseSince: number;
}

/** A lookup for each different CPF of a sheet. */
export function profileBatch(
  ctx: CommandContext,
  asked: ProfileTerms & {
    input: string;
    path: string;
    choice: InputChoice;
    label: string | null;
    rerun: boolean;
  },
): BatchRequest {
  const { choice, input, label, path, rerun, retryRural } = asked;
  const nameOf = (cpf: string): string => ctx.idKey.nameOf('document', cpf);
  return {
    kind: 'profile-batch',
    label,
    rerun,
    terms: [retryRural],
    inputName: inputNameOf(input),
    inputPath: path,
    rows: () => planThings(readSheet(path, { ...choice, holds: 'documents' }), readRow),
    standing: (cpf) => standingLookup(ctx, nameOf(cpf), asked),
    put: async (cpf) => {
      const { workId: jobId } = await putLookup(ctx, { cpf, name: nameOf(cpf), retryRural });
      return { jobId, terms: { retryRural } };
    },
  };
}

function readRow({ documents }: FilledRow): RowReading<string> {
  const cell = onlyCell(documents);
  if (cell !== null && 'code' in cell) return { kind: 'invalid', type: 'profile', ...cell };
  const reading = readDocument(cell?.text ?? '', { serves: ['cpf'] });
  return reading.kind === 'document'
    ? { kind: 'thing', type: 'profile', document: reading.document, note: reading.note }
    : { ...reading, type: 'profile' };
}

/** The service has reported what it knows: asked again, it may charge again. */
const answers: readonly ProfileStatus[] = ['found', 'not_found', 'invalid'];

/** @param name keyed name of the CPF */
export async function standingLookup(
  { store }: CommandContext,
  name: string,
  { reuseSince, retryRural }: ProfileTerms,
): Promise<StandingJob | null> {
  const file = new ProfileRepository(store);
  const [newest] = await file.all(name);
  if (newest === undefined) return null;
  const found = { jobId: newest.record.workId, terms: { retryRural } };
  const outcome = await file.outcome(newest.folder);
  if (outcome === null) return { ...found, ended: false };
  const isAnswer = answers.includes(outcome.status);
  const isFresh = Date.parse(outcome.settledAt) >= reuseSince && outcome.erased !== true;
  // Asked for once alone: asked for anew, the rural part may come.
  const isToRetry = retryRural && outcome.rural === 'failed' && outcome.call === 1;
  return isAnswer && isFresh && !isToRetry ? { ...found, ended: true } : null;
}

export const profileBatches: BatchKind = {
  kind: 'profile-batch',
  service: 'investigation',
  noun: ['lookup', 'lookups'],
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
  sheets: (folder, how) => new ProfileSheets(folder, how),
  ending: async ({ store }, jobId) => {
    const file = new ProfileRepository(store);
    const folder = profileFolder(jobId);
    const outcome = await file.outcome(folder);
    if (outcome === null) return null;
    const { call } = outcome;
    const answer = async () => (call === null ? null : file.answer(folder, call));
    return { jobId, ...endOf(outcome), answer };
  },
  hasStarted: async ({ store }, jobId) => {
    const record = await new ProfileRepository(store).record(profileFolder(jobId));
    if (record === null) return false;
    return sentBy(await store.attempts.of(profileSubject(record.name)), jobId) > 0;
  },
};

function endOf({
  status,
  counts,
  rural,
  call,
  answered,
  answersLost,
  sha256,
  error,
  settledAt,
  erased,
}: ProfileOutcome): Omit<ChildEnd, 'jobId' | 'answer'> {
  const cells = { ...counts, rural, call, answered, sha256, answers_lost: answersLost };
  return { status, cells, error, settledAt, billing: [], isErased: erased === true };
}
