import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import type { DossierAnswer } from '../../apis/investigation/dossiers';
import { DossierRepository, type DossierAnswers } from '../../store/dossiers/dossiers';
import { indexDocuments } from '../../store/core/subject-index';
import type { Artifact } from '../../domain/core/artifact';
import {
  isReported,
  riskSummary,
  sightOf,
  type DossierRef,
  type DossierReport,
  type DossierSight,
} from '../../domain/dossiers/follow';
import { documentsInText } from '../../domain/core/documents/held-documents';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { fileArtifacts, type ArtifactDesk } from '../core/artifacts';
import type { DossierDependencies } from '../dependencies';
import { createPolling, type Reading } from '../core/poll-until-settled';

/** A dossier that was read before is not gone because one read says so. */
const refusalPatienceMs = 2 * 60_000;
/** So long an answer may lag behind the one that showed the end. */
const lagPatienceMs = 10 * 60_000;

export interface FileDossierInput extends PollRequest {
  ref: DossierRef;
  /** Number of the attempt that has settled; null: not reported. */
  attempt: number | null;
}

/** What is on file of a dossier that has settled: its answers as they came, and its files. */
export function createDossierReportActivities(deps: DossierDependencies) {
  const { store, dossiers, nameOf, now } = deps;
  const file = new DossierRepository(store);
  const pollUntilSettled = createPolling(deps);

  /**
   * Repeated, it fetches what is missing and nothing else; addresses are read anew each time. An answer
   * that goes back to before the end is waited out; another attempt ends it, as `movedOn`.
   */
  async function fileDossier(input: FileDossierInput): Promise<Polled<DossierReport>> {
    const { attempt, ref, since } = input;
    const mayLag = (): boolean => now() - since < lagPatienceMs;
    return pollUntilSettled(
      async (signal): Promise<Reading<DossierReport>> => {
        const answer = await dossiers.status(ref.dossierId, 'interactive', signal);
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
        const fetched = await fileArtifacts(deskOf(ref), artifactsOf(answer, list), signal);
        const { isWaitedFor, ...files } = fetched;
        const note = lags ? (list.note ?? 'the list does not show that it has ended') : list.note;
        const risk = answer.dossier.risk ?? list.whole?.dossier.risk ?? null;
        const value = { sight, risk: riskSummary(risk), ...files, note, movedOn: false };
        const isLate = isWaitedFor || list.passes || (lags && mayLag());
        return isLate ? fetching(value) : settled(value);
      },
      { ...input, what: 'the report of a dossier', refusalPatienceMs },
    );
  }

  /** What the status leaves out. */
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

  async function fileAnswers(ref: DossierRef, answers: DossierAnswers): Promise<void> {
    await index(ref, answers);
    await file.putAnswers(ref.folder, answers);
  }

  /** An erasure finds the dossier by the documents that its answers name. */
  function index(ref: DossierRef, answers: object): Promise<void> {
    return indexDocuments(store, ref.folder, nameOf, documentsInText(JSON.stringify(answers)));
  }

  function deskOf({ folder }: DossierRef): ArtifactDesk {
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
  /** Why it does not say what the status leaves out. */
  note: string | null;
  /** It may say later. */
  passes: boolean;
}

/** A status may have none of the files that the list has. */
function artifactsOf({ dossier }: DossierAnswer, { whole }: ListRead): readonly Artifact[] {
  const listed = dossier.artifacts ?? [];
  return listed.length > 0 ? listed : (whole?.dossier.artifacts ?? []);
}

function isAfter({ attempt }: DossierSight, settledAttempt: number | null): boolean {
  return settledAttempt !== null && (attempt?.number ?? settledAttempt) > settledAttempt;
}

/** From before the end: of an earlier attempt, or not reported any more. */
function isBefore({ attempt, state }: DossierSight, settledAttempt: number | null): boolean {
  if (!isReported(state)) return true;
  return settledAttempt !== null && (attempt?.number ?? settledAttempt) < settledAttempt;
}

/** Entries of a list may hold less: only what is reported counts. */
function listLags(entry: DossierSight, settledAttempt: number | null): boolean {
  const known = entry.state === 'unknown' ? { ...entry, state: 'completed' as const } : entry;
  return isBefore(known, settledAttempt);
}

function unhad(sight: DossierSight, movedOn: boolean): DossierReport {
  const note = movedOn
    ? 'it was begun anew before its report was had'
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

/** @throws what is no fault of the service */
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
