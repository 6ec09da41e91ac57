import type { JobRef } from '../../domain/core/job-record';
import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import type { DossierAnswer } from '../../apis/investigation/dossiers';
import { DossierRepository, type DossierAnswers } from '../../store/dossiers/dossiers';
import { indexDocuments } from '../../store/core/subject-index';
import type { Artifact } from '../../domain/core/artifact';
import {
  dossierIdOf,
  isReported,
  riskSummary,
  sightOf,
  type DossierReport,
  type DossierSight,
} from '../../domain/dossiers/follow';
import { documentsInText } from '../../domain/core/documents/held-documents';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { fileArtifacts, type ArtifactDesk } from '../core/artifacts';
import type { DossierDependencies } from '../dependencies';
import { MissingResults, createPolling, type Reading } from '../core/poll-until-settled';

/** One 404 does not prove that a dossier read before is gone. */
const refusalPatienceMs = 2 * 60_000;
/** A read may lag this long behind the one that showed the final status. */
const lagPatienceMs = 10 * 60_000;

export interface FileDossierInput extends PollRequest {
  ref: JobRef;
  /** Number of the settled attempt; null: not reported. */
  attempt: number | null;
}

/** Stores a settled dossier: its raw responses and its files. */
export function createDossierReportActivities(deps: DossierDependencies) {
  const { store, dossiers, nameOf, now } = deps;
  const file = new DossierRepository(store);
  const pollUntilSettled = createPolling(deps);
  const missing = new MissingResults(now);

  /**
   * Idempotent: fetches only what is missing, with fresh addresses. A read from before the final status is
   * retried; another attempt ends it as `movedOn`.
   */
  async function fileDossier(input: FileDossierInput): Promise<Polled<DossierReport>> {
    const { attempt, ref, since } = input;
    const mayLag = (): boolean => now() - since < lagPatienceMs;
    return pollUntilSettled(
      async (signal): Promise<Reading<DossierReport>> => {
        const answer = await dossiers.status(dossierIdOf(ref), 'interactive', signal);
        const sight = sightOf(answer.dossier);
        const isNext = isAfter(sight, attempt);
        if (isNext) await file.takeArtifactsBack(ref.folder);
        if (isNext || isBefore(sight, attempt)) {
          const movedOn = isNext || (!mayLag() && !isReported(sight.state));
          const settles = movedOn || !mayLag();
          return settles ? settled(unhad(sight, movedOn)) : fetching(unhad(sight, false));
        }
        const list = await readList(answer, signal);
        const lags = list.whole !== null && listLags(sightOf(list.whole.dossier), attempt);
        await fileAnswers(ref, { status: answer.answer, whole: list.whole?.answer ?? null });
        const artifacts = artifactsOf(answer, list);
        const fetched = await fileArtifacts(deskOf(ref), artifacts, signal);
        const { isWaitedFor, ...files } = fetched;
        const note = lags ? (list.note ?? 'the list does not show that it has ended') : list.note;
        const risk = answer.dossier.risk ?? list.whole?.dossier.risk ?? null;
        const value = { sight, risk: riskSummary(risk), ...files, note, movedOn: false };
        const isBare = sight.state === 'completed' && artifacts.length === 0;
        const isAwaited = missing.mayCome(ref.folder, isBare);
        const isLate = isAwaited || isWaitedFor || list.passes || (lags && mayLag());
        return isLate ? fetching(value) : settled(value);
      },
      { ...input, what: 'the report of a dossier', refusalPatienceMs },
    );
  }

  /** Details that the status omits. */
  async function readList({ dossier }: DossierAnswer, signal: AbortSignal): Promise<ListRead> {
    const lacks = dossier.artifacts === null || dossier.reportSchema === null;
    if (!lacks) return { whole: null, note: null, passes: false };
    try {
      const whole = await dossiers.read(dossier.dossierId, 'interactive', signal);
      const note = whole === null ? 'the list does not have the dossier' : null;
      return { whole, note, passes: false };
    } catch (error) {
      if (signal.aborted) throw error;
      return { whole: null, ...whyNoList(error) };
    }
  }

  async function fileAnswers(ref: JobRef, answers: DossierAnswers): Promise<void> {
    await index(ref, answers);
    await file.putAnswers(ref.folder, answers);
  }

  /** Indexes the dossier by the documents in its responses, for erasure. */
  function index(ref: JobRef, answers: object): Promise<void> {
    return indexDocuments(store, ref.folder, nameOf, documentsInText(JSON.stringify(answers)));
  }

  function deskOf({ folder }: JobRef): ArtifactDesk {
    return {
      store,
      folder,
      service: dossiers.service,
      now,
      unaddressed: 'final',
      faultOf,
      note: (artifactId) => file.note(folder, ['fetch', artifactId], now()),
    };
  }

  return { fileDossier };
}

function faultOf({ mediaType, type }: Artifact, beginning: Uint8Array): string | null {
  const isPdf = type === 'dossie_pdf' || mediaType === 'application/pdf';
  const begins = Buffer.from(beginning.subarray(0, 1_024));
  return isPdf && !begins.includes('%PDF-') ? 'not a PDF' : null;
}

interface ListRead {
  whole: DossierAnswer | null;
  /** Why the list lacks the details. */
  note: string | null;
  /** A later read may have them. */
  passes: boolean;
}

/** The status may have none of the files of the list. */
function artifactsOf({ dossier }: DossierAnswer, { whole }: ListRead): readonly Artifact[] {
  const listed = dossier.artifacts ?? [];
  return listed.length > 0 ? listed : (whole?.dossier.artifacts ?? []);
}

function isAfter({ attempt }: DossierSight, settledAttempt: number | null): boolean {
  return settledAttempt !== null && (attempt?.number ?? settledAttempt) > settledAttempt;
}

/** Before the final status: of an earlier attempt, or no longer reported. */
function isBefore({ attempt, state }: DossierSight, settledAttempt: number | null): boolean {
  if (!isReported(state)) return true;
  return settledAttempt !== null && (attempt?.number ?? settledAttempt) < settledAttempt;
}

/** List entries may omit fields: only reported ones count. */
function listLags(entry: DossierSight, settledAttempt: number | null): boolean {
  const known = entry.state === 'unknown' ? { ...entry, state: 'completed' as const } : entry;
  return isBefore(known, settledAttempt);
}

function unhad(sight: DossierSight, movedOn: boolean): DossierReport {
  const note = movedOn
    ? 'another attempt started before its report was fetched'
    : 'the service does not show any more that it has ended';
  return { sight, risk: null, stored: [], notStored: [], note, movedOn };
}

function settled(value: DossierReport): Reading<DossierReport> {
  return { kind: 'settled', value };
}

function fetching(value: DossierReport): Reading<DossierReport> {
  const status = 'fetching';
  return { kind: 'unsettled', value, status };
}

/** @throws errors not of the service */
function whyNoList(error: unknown): { note: string; passes: boolean } {
  if (error instanceof ContractError) {
    const repeated = error.issues.some(({ path }) => path === 'lists.cursorParam');
    const note = repeated
      ? 'the list repeats itself: lists.cursorParam may be another'
      : 'the list cannot be read';
    return { note, passes: false };
  }
  if (!isCallFailure(error)) throw error;
  const failure = classifyFailure(error);
  if (failure === 'credentials') throw error;
  const why = error instanceof StatusError ? `answered ${error.status}` : 'no answer';
  if (failure === 'permanent') return { note: `the list ${why}`, passes: false };
  return { note: `the list could not be read: ${why}`, passes: true };
}
