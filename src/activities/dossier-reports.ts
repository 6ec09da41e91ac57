import {
  ConnectionError,
  ContractError,
  StatusError,
  isHttpError,
  type HttpError,
} from '../apis/http/errors';
import { answerTooLarge } from '../apis/http/service';
import { fetchArtifact } from '../apis/investigation/artifacts';
import type { DossierAnswer } from '../apis/investigation/dossiers';
import { DossierFile } from '../archive/dossiers';
import { DocumentIndexWriter } from '../archive/document-index';
import type { Artifact } from '../domain/artifact';
import {
  isReported,
  riskSummary,
  sightOf,
  type DossierRef,
  type DossierReport,
  type FiledArtifact,
  type UnfiledArtifact,
} from '../domain/dossiers/follow';
import { documentsInText } from '../domain/held-documents';
import type { WaitOrder, Waited } from '../domain/settled-wait';
import type { DossierDependencies } from './dossiers';
import { SettledWait, isForGood, type Reading } from './settled-wait';

/** Bytes of one file of a dossier. */
const maxBytes = 128 * 1024 * 1024;
/** A slow store is waited for. */
const downloadMs = 120_000;
/** A file that is not what was announced is fetched again twice before it is believed. */
const mostFetches = 3;

interface Unfetched {
  why: string;
  /** `a while`: after some fetches it is believed; `until told`: the store is out of order, and waited for. */
  mayPass: 'never' | 'a while' | 'until told';
}

/** What is on file of a dossier that has settled: its answers as they came, and its files. */
export function createDossierReportActivities(deps: DossierDependencies) {
  const { archive, dossiers, nameOf, now } = deps;
  const file = new DossierFile(archive);
  const wait = new SettledWait(deps);

  /** Repeated, it fetches what is missing and nothing else; addresses are read anew each time. */
  async function fileDossier(
    input: WaitOrder & { ref: DossierRef },
  ): Promise<Waited<DossierReport>> {
    const { ref } = input;
    const faults = new Map<string, number>();
    return wait.until(
      async (signal): Promise<Reading<DossierReport>> => {
        const read = await readWhole(ref, signal);
        const { answer, artifacts, listPasses, note, risk } = read;
        const { dossier } = answer;
        const filed: FiledArtifact[] = [];
        const unfiled: UnfiledArtifact[] = [];
        let isWaitedFor = listPasses;
        for (const artifact of artifacts) {
          const { artifactId, mediaType, type } = artifact;
          const about = { artifactId, type, mediaType };
          const there = await file.artifact(ref.folder, about);
          if (there !== null) {
            filed.push(there);
            continue;
          }
          const why = await fetchOne(ref, artifact, signal);
          const after = why === null ? await file.artifact(ref.folder, about) : null;
          if (after !== null) {
            filed.push(after);
            continue;
          }
          const count = (faults.get(artifactId) ?? 0) + 1;
          faults.set(artifactId, count);
          const { mayPass, why: reason } = why ?? { mayPass: 'a while', why: 'not filed' };
          if (mayPass === 'until told' || (mayPass === 'a while' && count < mostFetches)) {
            isWaitedFor = true;
          }
          unfiled.push({ artifactId, type, why: reason });
        }
        const value = {
          sight: sightOf(dossier),
          risk: riskSummary(risk),
          filed,
          unfiled,
          note,
        };
        if (!isWaitedFor) return { kind: 'settled', value };
        const visible = 'fetching';
        return { kind: 'unsettled', value, visible, unknownWord: null, pollAfterMs: null };
      },
      { ...input, what: 'the report of a dossier' },
    );
  }

  /** The status, and what it leaves out from the list (DESIGN 4); both are put on file. */
  async function readWhole(ref: DossierRef, signal: AbortSignal) {
    const answer = await dossiers.status(ref.dossierId, 'interactive', signal);
    const { dossier } = answer;
    let whole: DossierAnswer | null = null;
    let note: string | null = null;
    let listPasses = false;
    const lacks = dossier.artifacts === null || dossier.reportSchema === null;
    if (isReported(dossier.state) && lacks) {
      try {
        whole = await dossiers.read(ref.dossierId, 'interactive', signal);
        if (whole === null) note = 'the list does not have the dossier';
      } catch (error) {
        if (signal.aborted) throw error;
        const why = whyNoList(error);
        note = why.note;
        listPasses = why.passes;
      }
    }
    const answers = { status: answer.answer, whole: whole?.answer ?? null };
    await indexDocuments(ref, answers);
    await file.putAnswers(ref.folder, answers);
    const artifacts = dossier.artifacts ?? whole?.dossier.artifacts ?? [];
    return {
      answer,
      artifacts,
      listPasses,
      note,
      risk: dossier.risk ?? whole?.dossier.risk ?? null,
    };
  }

  /** A purge finds the dossier by the documents that its answers name. */
  async function indexDocuments(ref: DossierRef, answers: object): Promise<void> {
    const index = new DocumentIndexWriter(archive, ref.folder, nameOf);
    for (const document of documentsInText(JSON.stringify(answers)))
      await index.addDocument(document);
    await index.flush();
  }

  /**
   * One that cannot be had costs the others nothing.
   *
   * @returns null when it was filed
   */
  async function fetchOne(
    ref: DossierRef,
    artifact: Artifact,
    signal: AbortSignal,
  ): Promise<Unfetched | null> {
    const { artifactId, availableUntil, url } = artifact;
    if (url === null) return { why: 'no address', mayPass: 'never' };
    if (availableUntil !== null && Date.parse(availableUntil) <= now()) {
      return { why: 'no longer available', mayPass: 'never' };
    }
    try {
      const options = { timeoutMs: downloadMs, maxBytes };
      const body = await fetchArtifact(dossiers.service, url, bytesOf, options, 'pdf', signal);
      const why = faultOf(body, artifact);
      if (why !== null) return { why, mayPass: 'a while' };
      await file.putArtifact(ref.folder, artifactId, body);
      return null;
    } catch (error) {
      if (signal.aborted) throw error;
      // An address that has expired is read anew, with the next read.
      if (isForGood(error)) return { why: `answered ${error.status}`, mayPass: 'a while' };
      if (error instanceof ContractError) return { why: 'no web address', mayPass: 'never' };
      if (isTooLarge(error)) return { why: 'larger than 128 MiB', mayPass: 'never' };
      if (isHttpError(error)) return { why: whyNone(error), mayPass: 'until told' };
      throw error;
    }
  }

  return { fileDossier };
}

async function bytesOf({ body }: { body: AsyncIterable<Buffer> }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function faultOf(body: Buffer, { mediaType, type }: Artifact): string | null {
  if (body.length === 0) return 'empty';
  const isPdf = type === 'dossie_pdf' || mediaType === 'application/pdf';
  if (isPdf && !body.subarray(0, 1_024).includes('%PDF-')) return 'not a PDF';
  return null;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ConnectionError && error.safeCause.code === answerTooLarge;
}

function whyNone(error: HttpError): string {
  return error instanceof StatusError ? `answered ${error.status}` : 'no answer';
}

/** @throws what is no fault of the service */
function whyNoList(error: unknown): { note: string; passes: boolean } {
  if (error instanceof ContractError) {
    const repeated = error.issues.some(({ path }) => path === 'CURSOR_PARAM');
    const note = repeated
      ? 'the list repeats itself: CURSOR_PARAM may be another'
      : 'the list cannot be read';
    return { note, passes: false };
  }
  if (isForGood(error)) return { note: `the list answered ${error.status}`, passes: false };
  if (!isHttpError(error) || (error instanceof StatusError && error.meansCredentials)) throw error;
  return { note: `the list could not be read: ${whyNone(error)}`, passes: true };
}
