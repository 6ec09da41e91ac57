/** Analyses: their routes on both origins, and what the service holds. */

import { z } from 'zod';
import type { CertificatePdf } from '../certificates/certificate-pdf';
import type { Answer, JsonObject } from '../engine/answer';
import { IdempotencyKeys, type KeySeen } from '../engine/idempotency-keys';
import { Refusal } from '../engine/problem';
import { readBodyAs } from '../engine/request-body';
import {
  createResourceService,
  refuseBody,
  uuidIn,
  type PreparedResourceCall,
  type ResourceRequest,
  type ResourceRoute,
} from '../engine/resource-service';
import { expiredLink, filesPrefix } from '../engine/signed-links';
import { stepAt } from '../faults/fault-plan';
import type { ResourceParts } from '../resource-parts';
import { analysisStatusAt, createAnalysis, type LensAnalysis } from './lens-analysis';
import { lensModes, lensRoles, type LensEnding, type LensStage } from './lens-scenario';
import { readUpload, refuseUploadHeaders, uploadHeadersOf } from './lens-upload';
import { analysisOnWire, artifactIdOf, artifactsThere, type LensView } from './lens-wire';

export const lensPath = '/api/v1/lente';
const analysesPath = `${lensPath}/analyses`;
const lensFilesPath = `${filesPrefix}lente`;

/** An analysis as a read would show it now, and how it ends or has ended. */
export interface LensHeld {
  ending: LensEnding;
  analysis: JsonObject;
}

export interface LensCounts {
  /** Calls by kind. */
  calls: Record<LensStage, number>;
  keys: KeySeen[];
  items: {
    sha256: string;
    /** POSTs that arrived for the file, whatever came of them. */
    requested: number;
    /** Analyses that really began: more than asked for is one paid twice. */
    created: number;
    /** PUTs that arrived at the upload target with a signature that holds. */
    uploadTries: number;
    /** PUTs whose bytes were taken, repeated ones too. */
    uploads: number;
    reads: number;
    /** Artifact requests. */
    artifacts: number;
  }[];
}

/** Of all files together; what comes beyond is summed and let go. */
const keptBytesLimit = 256 * 1024 * 1024;

type Line = Omit<LensCounts['items'][number], 'sha256'>;

export function createLens(parts: ResourceParts & { capacity: number; pdf: CertificatePdf }) {
  const { clock, links, seed } = parts;
  const scenario = () => parts.scenario().lens;
  const keys = new IdempotencyKeys(() => scenario().repeatedKey);
  const analyses = new Map<string, LensAnalysis>();
  const counts = new Map<string, Line>();
  let keptBytes = 0;

  const scriptOf = (sha256: string) => scenario().files[sha256] ?? scenario().files['*'];
  const viewAt = (now: number): LensView => ({
    seed,
    now,
    scenario: scenario(),
    link: (path, expiresAt) => links.make(`lente/${path}`, expiresAt),
  });
  const shown = (analysis: LensAnalysis, now = clock.now()) =>
    analysisOnWire(analysis, viewAt(now));

  function countsOf(sha256: string): Line {
    const none = { requested: 0, created: 0, uploadTries: 0, uploads: 0, reads: 0, artifacts: 0 };
    const line = counts.get(sha256) ?? none;
    counts.set(sha256, line);
    return line;
  }

  const about = (analysis: LensAnalysis, act: () => Answer): PreparedResourceCall => ({
    subject: analysis.file.sha256,
    id: analysis.id,
    act,
  });

  /** @throws Refusal 400, 404 */
  function find(params: ResourceRequest['params']): LensAnalysis {
    const analysis = analyses.get(uuidIn(params, 'id'));
    if (analysis === undefined) throw new Refusal(404, 'analysis_not_found', 'No such analysis.');
    return analysis;
  }

  function prepareCreate(request: ResourceRequest): PreparedResourceCall {
    const key = keys.arrived(request.headers);
    request.entry.key = key;
    const { mode, file } = readCreate(request, scenario());
    const line = countsOf(file.sha256);
    line.requested += 1;
    const status = scenario().successStatus;
    const asked = `lens|${file.sha256}|${file.sizeBytes}|${mode}`;
    const made = analyses.get(keys.made(key, asked) ?? '');
    if (made !== undefined) return about(made, () => ({ status, json: shown(made) }));
    refuseSize(file.sizeBytes, scenario().maxFileBytes);
    if (analyses.size >= parts.capacity) {
      throw new Refusal(507, 'sandbox_full', `The sandbox holds ${parts.capacity} already.`);
    }
    return {
      subject: file.sha256,
      id: null,
      act: () => {
        const analysis = begin(mode, file);
        keys.bind(key, asked, analysis.id);
        // As it stands at birth, even where the upload expires at once.
        return { status, json: shown(analysis, Number.NEGATIVE_INFINITY) };
      },
    };
  }

  function begin(mode: LensAnalysis['mode'], file: LensAnalysis['file']): LensAnalysis {
    const line = countsOf(file.sha256);
    const script = scriptOf(file.sha256);
    const analysis = createAnalysis({
      seed,
      ofFile: line.created + 1,
      mode,
      file,
      ending: stepAt(script?.end ?? [], line.created)?.kind ?? 'completed',
      script,
      scenario: scenario(),
      at: clock.now(),
    });
    line.created += 1;
    analyses.set(analysis.id, analysis);
    return analysis;
  }

  async function prepareUpload(
    request: ResourceRequest,
  ): Promise<PreparedResourceCall | 'aborted'> {
    const analysis = find(request.params);
    const line = countsOf(analysis.file.sha256);
    line.uploadTries += 1;
    const expected = uploadHeadersOf(analysis, scenario().uploadHeaders);
    refuseUploadHeaders(analysis, expected, request.headers);
    const arrived = await readUpload(request.incoming, analysis);
    if (arrived === 'aborted') return arrived;
    if (clock.now() >= analysis.uploadUntil) throw expiredLink();
    return about(analysis, () => {
      line.uploads += 1;
      analysis.arrived ??= { at: clock.now(), ...arrived, bytes: keep(arrived.bytes) };
      if (!scenario().submit) analysis.submittedAt ??= clock.now();
      return { status: 200, bytes: Buffer.alloc(0), contentType: 'application/xml' };
    });
  }

  function keep(bytes: Buffer | null): Buffer | null {
    if (bytes === null || keptBytes + bytes.length > keptBytesLimit) return null;
    keptBytes += bytes.length;
    return bytes;
  }

  function prepareSubmit(request: ResourceRequest): PreparedResourceCall {
    if (!scenario().submit) {
      throw new Refusal(404, 'unknown_route', 'The sandbox has no route to submit an analysis.');
    }
    const analysis = find(request.params);
    refuseBody(request);
    if (analysis.arrived === null || analysisStatusAt(analysis, clock.now()) === 'expired') {
      throw new Refusal(409, 'file_missing', 'The file has not arrived.');
    }
    return about(analysis, () => {
      analysis.submittedAt ??= clock.now();
      return { status: 202, json: shown(analysis) };
    });
  }

  function prepareRead({ params }: ResourceRequest): PreparedResourceCall {
    if (scenario().readRoute === 'unknown') {
      throw new Refusal(404, 'unknown_route', 'The sandbox has no route to read an analysis.');
    }
    if (scenario().readRoute === 'not_allowed') {
      throw new Refusal(405, 'method_not_allowed', 'An analysis cannot be read by itself.');
    }
    const analysis = find(params);
    countsOf(analysis.file.sha256).reads += 1;
    return about(analysis, () => ({ status: 200, json: shown(analysis) }));
  }

  function prepareArtifact({ params }: ResourceRequest): PreparedResourceCall {
    const analysis = find(params);
    countsOf(analysis.file.sha256).artifacts += 1;
    const named = uuidIn(params, 'artifact_id');
    const type = artifactsThere(analysis, scenario(), clock.now()).find(
      (there) => artifactIdOf(analysis, there) === named,
    );
    if (type === undefined) throw new Refusal(404, 'NoSuchKey', 'No such artifact.');
    const kept = type === 'input_image' ? analysis.arrived : null;
    return about(analysis, () => ({
      status: 200,
      bytes: kept?.bytes ?? reportOf(analysis, parts.pdf),
      contentType: kept?.mediaType ?? 'application/pdf',
    }));
  }

  const one = `${analysesPath}/:id`;
  const routes: ResourceRoute<LensStage>[] = [
    { method: 'POST', path: analysesPath, stage: 'create', query: [], prepare: prepareCreate },
    { method: 'GET', path: one, stage: 'read', query: [], prepare: prepareRead },
    { method: 'POST', path: `${one}/submit`, stage: 'submit', query: [], prepare: prepareSubmit },
    {
      method: 'PUT',
      path: `${lensFilesPath}/uploads/:id`,
      stage: 'upload',
      query: 'any',
      streams: true,
      prepare: prepareUpload,
    },
    {
      method: 'GET',
      path: `${lensFilesPath}/artifacts/:id/:artifact_id`,
      stage: 'artifact',
      query: 'any',
      prepare: prepareArtifact,
    },
  ];

  const service = createResourceService<LensStage>({
    ...parts,
    name: 'lens',
    roles: lensRoles,
    latencyMs: () => parts.scenario().latencyMs,
    rateLimitPerSecond: () => scenario().rateLimitPerSecond,
    stepsOf: (stage, sha256) => {
      const own = scriptOf(sha256)?.[stage] ?? [];
      return own.length > 0 ? own : scenario().calls[stage];
    },
    background: () => scenario().background,
    routes,
  });

  return {
    paths: [lensPath, lensFilesPath],
    serve: service.serve,
    received: service.received,
    clearReceived: service.clearReceived,
    counts: (): LensCounts => ({
      calls: service.calls(),
      keys: keys.seen(),
      items: [...counts].map(([sha256, line]) => ({ sha256, ...line })),
    }),
    state: (): LensHeld[] =>
      [...analyses.values()].map((analysis) => ({
        ending: analysis.ending,
        analysis: shown(analysis),
      })),
    patched: (): void => service.restartFaults(),
    reset(): void {
      service.reset();
      keys.clear();
      analyses.clear();
      counts.clear();
      keptBytes = 0;
    },
  };
}

/** @throws Refusal 400, 415, 422 */
function readCreate(
  request: ResourceRequest,
  { modeField, defaultMode }: { modeField: string | null; defaultMode: LensAnalysis['mode'] },
): Pick<LensAnalysis, 'mode' | 'file'> {
  const schema = z.strictObject({
    file: z.strictObject({
      size_bytes: z.int().min(1),
      sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits in lower case'),
    }),
    ...(modeField === null ? {} : { [modeField]: z.enum(lensModes).optional() }),
  });
  const body = readBodyAs(schema, request) as {
    file: { size_bytes: number; sha256: string };
  } & Record<string, unknown>;
  request.entry.body = body;
  const mode = modeField === null ? undefined : body[modeField];
  return {
    mode: (mode as LensAnalysis['mode'] | undefined) ?? defaultMode,
    file: { sizeBytes: body.file.size_bytes, sha256: body.file.sha256 },
  };
}

/** @throws Refusal 413 */
function refuseSize(sizeBytes: number, maxFileBytes: number): void {
  if (sizeBytes > maxFileBytes) {
    throw new Refusal(413, 'file_too_large', `Expected at most ${maxFileBytes} bytes.`);
  }
}

/** The same analysis always has the same bytes. */
function reportOf({ ending, id, mode }: LensAnalysis, pdf: CertificatePdf): Buffer {
  return pdf.print({
    heading: `Analise de lente ${mode} (sandbox)`,
    name: '-',
    document: '-',
    certidao: id,
    outcome: ending,
  });
}
