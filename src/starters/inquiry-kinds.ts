import { ProfileRepository } from '../store/profiles/profiles';
import { TraceRepository } from '../store/traces/traces';
import { readDocument } from '../domain/core/documents';
import type { InquiryBatchKind, InquiryBatchRecord } from '../domain/core/inquiry-batch';
import { profileSubject, sentBy, subjectState, traceSubject } from '../domain/core/attempts';
import { profileFolder, type ProfileOutcome, type ProfileStatus } from '../domain/profiles/lookup';
import { traceFolder, type TraceOutcome } from '../domain/traces/search';
import { readTarget } from '../domain/traces/target';
import type { ColumnContent } from '../sheets/header-columns';
import { onlyCell, type FilledRow, type RowReading } from '../sheets/plan-rows';
import { answeredCharges, billedCharges, type InquiryCharges } from './jobs/inquiry-charges';
import type { InquiryEnding, InquirySheets } from './jobs/inquiry-rows';
import { putLookup } from './profiles/outcome';
import { ProfileSheets } from './profiles/sheets';
import { putTrace, standingTrace } from './traces/asks';
import type { CommandContext } from './jobs/context';

/** What every line of a batch is asked with. */
export type InquiryTerms = Pick<InquiryBatchRecord, 'label' | 'strategy' | 'retryRural'> & {
  /** Epoch milliseconds: a lookup that was answered since then is not made again. */
  reuseSince: number;
};

export interface StandingWork {
  workId: string;
  ended: boolean;
}

/** What is of one kind of batch. */
export interface InquiryKind {
  kind: InquiryBatchKind;
  /** Of its works, for people. */
  noun: [one: string, many: string];
  /** What its lines name, for people. */
  things: string;
  holds: ColumnContent;
  /** Columns of `results.csv` between the status and what all kinds have. Add at the end only. */
  columns: readonly string[];
  /** Those of them that tell what was charged: once for a work, on its first line. */
  chargeColumns: readonly string[];
  charges(): InquiryCharges;
  /** What it writes beside `results.csv` and the answers. */
  sheets?(folder: string, how: { excel: boolean; html: boolean }): InquirySheets;
  read(row: FilledRow): RowReading<string>;
  /** The work that the thing needs no other than; null: a new one is needed. */
  standing(place: CommandContext, thing: string, terms: InquiryTerms): Promise<StandingWork | null>;
  /** @returns id of a new work, which can be started */
  put(place: CommandContext, thing: string, terms: InquiryTerms): Promise<string>;
  /** How a work ended; null before its end. */
  ending(place: CommandContext, workId: string): Promise<InquiryEnding | null>;
  /** Whether anything was sent for it, or may have been. */
  hasBegun(place: CommandContext, workId: string): Promise<boolean>;
}

export const traceInquiries: InquiryKind = {
  kind: 'trace-batch',
  noun: ['search', 'searches'],
  things: 'targets',
  holds: 'targets',
  columns: [
    'trace_id',
    'type',
    'partial',
    'sources',
    'billing_status',
    'billing_amount',
    'sha256',
    'billing_unit',
  ],
  chargeColumns: ['billing_status', 'billing_amount', 'billing_unit'],
  charges: billedCharges,
  read: ({ documents }) => {
    const cell = onlyCell(documents, 'a target');
    if (cell !== null && 'code' in cell) return { kind: 'invalid', type: 'trace', ...cell };
    const reading = readTarget(cell?.text ?? '');
    if (reading.kind === 'invalid') return { ...reading, type: 'trace' };
    return { kind: 'thing', type: 'trace', document: reading.target, note: reading.note };
  },
  standing: async (place, target, { strategy, label }) => {
    const found = await standingTrace(place, { target, strategy, label });
    return found && { workId: found.record.workId, ended: found.outcome !== null };
  },
  put: async (place, target, { strategy, label }) =>
    (await putTrace(place, { target, strategy, label })).workId,
  ending: async ({ store }, workId) => {
    const file = new TraceRepository(store);
    const folder = traceFolder(workId);
    const outcome = await file.outcome(folder);
    return outcome && { ...traceEnding(outcome), answer: () => file.answer(folder) };
  },
  hasBegun: async ({ store }, workId) => {
    const record = await new TraceRepository(store).record(traceFolder(workId));
    if (record === null) return false;
    const attempts = await store.attempts.of(traceSubject(record.name));
    return subjectState(attempts, Date.now()).kind !== 'free';
  },
};

function traceEnding({ status, seen, traceId, error, settledAt, erased }: TraceOutcome) {
  const sources = Object.entries(seen?.sources ?? {}).map(([name, word]) => `${name}: ${word}`);
  const cells = {
    trace_id: traceId,
    type: seen?.type ?? null,
    partial: seen?.partial ?? null,
    sources: sources.length === 0 ? null : sources.join(' | '),
    billing_status: seen?.billing?.status ?? null,
    billing_amount: seen?.billing?.amount ?? null,
    billing_unit: seen?.billing?.unit ?? null,
    sha256: seen?.sha256 ?? null,
  };
  return {
    status,
    cells,
    error,
    settledAt,
    billing: seen?.billing ?? null,
    erased: erased === true,
  };
}

/** The service has told what it knows: asked again, it may charge again. */
const answers: readonly ProfileStatus[] = ['found', 'not_found', 'invalid'];

export const profileInquiries: InquiryKind = {
  kind: 'profile-batch',
  noun: ['lookup', 'lookups'],
  things: 'CPFs',
  holds: 'documents',
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
  read: ({ documents }) => {
    const cell = onlyCell(documents);
    if (cell !== null && 'code' in cell) return { kind: 'invalid', type: 'profile', ...cell };
    const reading = readDocument(cell?.text ?? '', { serves: ['cpf'] });
    return reading.kind === 'document'
      ? { kind: 'thing', type: 'profile', document: reading.document, note: reading.note }
      : { ...reading, type: 'profile' };
  },
  standing: async ({ store, idKey }, cpf, { reuseSince, retryRural }) => {
    const file = new ProfileRepository(store);
    const [newest] = await file.all(idKey.nameOf('document', cpf));
    if (newest === undefined) return null;
    const { workId } = newest.record;
    const outcome = await file.outcome(newest.folder);
    if (outcome === null) return { workId, ended: false };
    const isAnswer = answers.includes(outcome.status);
    const isFresh = Date.parse(outcome.settledAt) >= reuseSince && outcome.erased !== true;
    // Asked for once alone: asked for anew, the rural part may come.
    const isToRetry = retryRural && outcome.rural === 'failed' && outcome.call === 1;
    return isAnswer && isFresh && !isToRetry ? { workId, ended: true } : null;
  },
  put: async (place, cpf, { retryRural }) => {
    const name = place.idKey.nameOf('document', cpf);
    return (await putLookup(place, { cpf, name, retryRural })).workId;
  },
  ending: async ({ store }, workId) => {
    const file = new ProfileRepository(store);
    const folder = profileFolder(workId);
    const outcome = await file.outcome(folder);
    if (outcome === null) return null;
    const { call } = outcome;
    const answer = async () => (call === null ? null : file.answer(folder, call));
    return { ...profileEnding(outcome), answer };
  },
  hasBegun: async ({ store }, workId) => {
    const record = await new ProfileRepository(store).record(profileFolder(workId));
    if (record === null) return false;
    return sentBy(await store.attempts.of(profileSubject(record.name)), workId) > 0;
  },
};

function profileEnding({
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
}: ProfileOutcome) {
  const cells = { ...counts, rural, call, answered, sha256, answers_lost: answersLost };
  return { status, cells, error, settledAt, billing: null, erased: erased === true };
}

export const inquiryKinds: readonly InquiryKind[] = [traceInquiries, profileInquiries];
