import { ContractError } from '../apis/http/errors';
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
    const faults = new Map<string, { count: number; why: string }>();
    return wait.until(
      async (signal): Promise<Reading<DossierReport>> => {
        const read = await readWhole(ref, signal);
        const { answer, artifacts, note, risk } = read;
        const { dossier } = answer;
        const filed: FiledArtifact[] = [];
        const unfiled: UnfiledArtifact[] = [];
        let isWaitedFor = false;
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
          const known = faults.get(artifactId) ?? { count: 0, why: '' };
          const fault = { count: known.count + 1, why: why?.why ?? 'not filed' };
          faults.set(artifactId, fault);
          if (why?.mayPass !== false && fault.count < mostFetches) isWaitedFor = true;
          unfiled.push({ artifactId, type, why: fault.why });
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
    const lacks = dossier.artifacts === null || dossier.reportSchema === null;
    if (isReported(dossier.state) && lacks) {
      try {
        whole = await dossiers.read(ref.dossierId, 'interactive', signal);
        if (whole === null) note = 'the list does not have the dossier';
      } catch (error) {
        note = whyNoList(error);
      }
    }
    const answers = { status: answer.answer, whole: whole?.answer ?? null };
    await indexDocuments(ref, answers);
    await file.putAnswers(ref.folder, answers);
    const artifacts = dossier.artifacts ?? whole?.dossier.artifacts ?? [];
    return { answer, artifacts, note, risk: dossier.risk ?? whole?.dossier.risk ?? null };
  }

  /** A purge finds the dossier by the documents that its answers name. */
  async function indexDocuments(ref: DossierRef, answers: object): Promise<void> {
    const index = new DocumentIndexWriter(archive, ref.folder, nameOf);
    for (const document of documentsInText(JSON.stringify(answers)))
      await index.addDocument(document);
    await index.flush();
  }

  /** @returns null when it was filed; what passes is thrown */
  async function fetchOne(
    ref: DossierRef,
    artifact: Artifact,
    signal: AbortSignal,
  ): Promise<{ why: string; mayPass: boolean } | null> {
    const { artifactId, availableUntil, url } = artifact;
    if (url === null) return { why: 'no address', mayPass: false };
    if (availableUntil !== null && Date.parse(availableUntil) <= now()) {
      return { why: 'no longer available', mayPass: false };
    }
    try {
      const options = { timeoutMs: downloadMs, maxBytes };
      const body = await fetchArtifact(dossiers.service, url, bytesOf, options, 'pdf', signal);
      const why = faultOf(body, artifact);
      if (why !== null) return { why, mayPass: true };
      await file.putArtifact(ref.folder, artifactId, body);
      return null;
    } catch (error) {
      // An address that has expired is read anew, with the next read.
      if (isForGood(error)) {
        return { why: `answered ${error.status}`, mayPass: true };
      }
      if (error instanceof ContractError) return { why: 'no web address', mayPass: false };
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

/** @throws what passes */
function whyNoList(error: unknown): string {
  if (error instanceof ContractError) {
    const repeated = error.issues.some(({ path }) => path === 'CURSOR_PARAM');
    return repeated
      ? 'the list repeats itself: CURSOR_PARAM may be another'
      : 'the list cannot be read';
  }
  if (isForGood(error)) return `the list answered ${error.status}`;
  throw error;
}
