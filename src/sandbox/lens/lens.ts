/** Analyses: their routes on both origins, and what the service holds. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { seededUuid } from '../core/chance';
import { fictionalPdf } from '../core/fictional-pdf';
import { createTally } from '../core/tally';
import { beginWork } from '../core/work';
import { endingAt } from '../faults/fault-plan';
import { expiredLink, Refusal, sandboxFull, type Answer } from '../http/answer';
import { filesPrefix } from '../http/credentials';
import { createKeys } from '../http/idempotency-keys';
import { readBodyAs, refuseBody, refuseRoute, uuidIn, type Request } from '../http/request';
import { createService, type PreparedCall, type ResourceParts } from '../http/service';
import {
  analysisOnWire,
  analysisStatusAt,
  artifactIdOf,
  artifactsThere,
  mediaTypeOf,
  uploadHeadersOf,
  type LensAnalysis,
} from './analysis';
import { lensModes, lensRoles, type LensStage } from './lens-scenario';

const lensPath = '/api/v1/lente';
const analysesPath = `${lensPath}/analyses`;
const lensFilesPath = `${filesPrefix}lente`;

const noCounts = {
  sha256: '',
  /** POSTs that arrived for the file, whatever came of them. */
  requested: 0,
  /** Analyses that really began: more than asked for is one paid twice. */
  created: 0,
  /** PUTs that arrived at the upload target with a signature that holds. */
  uploadTries: 0,
  /** PUTs whose bytes were taken, repeated ones too. */
  uploads: 0,
  reads: 0,
  /** Artifact requests. */
  artifacts: 0,
};

/** What is announced may be no larger than the scenario says; larger bodies than this are not read. */
const uploadLimitBytes = 256 * 1024 * 1024;
/** Larger files are summed and let go. */
const storedBytes = 1024 * 1024;

export function createLens(parts: ResourceParts) {
  const { capacity, clock, links, seed } = parts;
  const scenario = () => parts.scenario().lens;
  const keys = createKeys(() => scenario().repeatedKey);
  const analyses = new Map<string, LensAnalysis>();
  const tally = createTally(noCounts);

  const scriptOf = (sha256: string) => scenario().files[sha256] ?? scenario().files['*'];
  const link = (path: string, expiresAt: number) => links.make(`lente/${path}`, expiresAt);
  const shown = (analysis: LensAnalysis, now = clock.now()) =>
    analysisOnWire(analysis, { seed, now, scenario: scenario(), link });
  const countsOf = (sha256: string) => tally.of(sha256, { sha256 });
  const about = (analysis: LensAnalysis, act: () => Answer): PreparedCall => ({
    subject: analysis.file.sha256,
    id: analysis.id,
    act,
  });

  /** @throws Refusal 400, 404 */
  function find(request: Request): LensAnalysis {
    const analysis = analyses.get(uuidIn(request, 'id'));
    if (analysis === undefined) throw new Refusal(404, 'analysis_not_found', 'No such analysis.');
    return analysis;
  }

  function prepareCreate(request: Request): PreparedCall {
    const key = keys.arrived(request);
    const { maxFileBytes, modeField, successStatus: status } = scenario();
    const { mode, file } = readCreate(request, modeField);
    countsOf(file.sha256).requested += 1;
    const asked = `lens|${file.sha256}|${file.sizeBytes}|${mode}`;
    const made = analyses.get(key.made(asked) ?? '');
    if (made !== undefined) return about(made, () => ({ status, json: shown(made) }));
    if (file.sizeBytes > maxFileBytes) {
      throw new Refusal(413, 'file_too_large', `Expected at most ${maxFileBytes} bytes.`);
    }
    if (analyses.size >= capacity) throw sandboxFull(capacity);
    return {
      subject: file.sha256,
      id: null,
      act: () => {
        const analysis = begin(mode, file);
        key.bind(asked, analysis.id);
        // As it stands at birth, even where the upload expires at once.
        return { status, json: shown(analysis, -Infinity) };
      },
    };
  }

  function begin(mode: LensAnalysis['mode'], file: LensAnalysis['file']): LensAnalysis {
    const counts = countsOf(file.sha256);
    const script = scriptOf(file.sha256);
    const ending = endingAt(script?.end, counts.created);
    const uploadTimes = [script?.uploadMs ?? scenario().uploadMs].flat();
    const uploadMs = uploadTimes[counts.created] ?? uploadTimes.at(-1) ?? 0;
    counts.created += 1;
    const createdAt = clock.now();
    const analysis: LensAnalysis = {
      id: seededUuid([seed, 'lens', file.sha256, counts.created].join('|')),
      mode,
      file,
      ending,
      script,
      createdAt,
      uploadUntil: createdAt + uploadMs,
      arrived: null,
      work: null,
    };
    analyses.set(analysis.id, analysis);
    return analysis;
  }

  function start(analysis: LensAnalysis): void {
    const { ending, id, script } = analysis;
    analysis.work ??= beginWork(clock.now(), ending, scenario().timing, [seed, id], script);
  }

  function prepareUpload(request: Request): PreparedCall {
    const analysis = find(request);
    const line = countsOf(analysis.file.sha256);
    line.uploadTries += 1;
    refuseUpload(analysis, request);
    const { body } = request;
    if (clock.now() >= analysis.uploadUntil) throw expiredLink();
    return about(analysis, () => {
      line.uploads += 1;
      analysis.arrived ??= {
        at: clock.now(),
        mediaType: mediaTypeOf(body),
        bytes: body.length <= storedBytes ? body : null,
      };
      if (!scenario().submit) start(analysis);
      return { status: 200, bytes: Buffer.alloc(0), contentType: 'application/xml' };
    });
  }

  function prepareSubmit(request: Request): PreparedCall {
    if (!scenario().submit) {
      throw new Refusal(404, 'unknown_route', 'The sandbox has no route to submit an analysis.');
    }
    const analysis = find(request);
    refuseBody(request);
    if (analysis.arrived === null || analysisStatusAt(analysis, clock.now()) === 'expired') {
      throw new Refusal(409, 'file_missing', 'The file has not arrived.');
    }
    return about(analysis, () => {
      start(analysis);
      return { status: 202, json: shown(analysis) };
    });
  }

  function prepareRead(request: Request): PreparedCall {
    refuseRoute(scenario().readRoute);
    const analysis = find(request);
    countsOf(analysis.file.sha256).reads += 1;
    return about(analysis, () => ({ status: 200, json: shown(analysis) }));
  }

  function prepareArtifact(request: Request): PreparedCall {
    const analysis = find(request);
    countsOf(analysis.file.sha256).artifacts += 1;
    const named = uuidIn(request, 'artifact_id');
    const type = artifactsThere(analysis, scenario(), clock.now()).find(
      (there) => artifactIdOf(analysis, there) === named,
    );
    if (type === undefined) throw new Refusal(404, 'NoSuchKey', 'No such artifact.');
    const stored = type === 'input_image' ? analysis.arrived : null;
    return about(analysis, () => ({
      status: 200,
      bytes: stored?.bytes ?? reportOf(analysis),
      contentType: stored?.mediaType ?? 'application/pdf',
    }));
  }

  const one = `${analysesPath}/:id`;
  const artifactPath = `${lensFilesPath}/artifacts/:id/:artifact_id`;
  const uploadTerms = { query: 'any', fileLimitBytes: uploadLimitBytes } as const;
  const service = createService<LensStage>({
    ...parts,
    name: 'lens',
    paths: [lensPath, lensFilesPath],
    roles: lensRoles,
    section: scenario,
    scriptOf: ({ subject }) => scriptOf(subject),
    routes: () => [
      ['POST', analysesPath, 'create', prepareCreate],
      ['GET', one, 'read', prepareRead],
      ['POST', `${one}/submit`, 'submit', prepareSubmit],
      ['PUT', `${lensFilesPath}/uploads/:id`, 'upload', prepareUpload, uploadTerms],
      ['GET', artifactPath, 'artifact', prepareArtifact, { query: 'any' }],
    ],
  });

  return {
    ...service,
    counts: () => ({ calls: service.calls(), keys: keys.seen(), items: tally.all() }),
    state: () =>
      [...analyses.values()].map((analysis) => ({
        ending: analysis.ending,
        analysis: shown(analysis),
      })),
  };
}

const announcedFile = z.strictObject({
  size_bytes: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits in lower case'),
});

/** @throws Refusal 400, 415, 422 */
function readCreate(request: Request, modeField: string | null) {
  const modeShape = modeField === null ? {} : { [modeField]: z.enum(lensModes).optional() };
  const body = readBodyAs(z.strictObject({ ...modeShape, file: announcedFile }), request);
  const { size_bytes: sizeBytes, sha256 } = body.file;
  const named: Partial<Record<string, unknown>> = body;
  const mode = modeField === null ? undefined : named[modeField];
  return { mode: mode === 'face' ? mode : 'geo', file: { sizeBytes, sha256 } } as const;
}

/** The upload target takes exactly the file that was announced. @throws Refusal 400, 403, 411 */
function refuseUpload(analysis: LensAnalysis, { body, headers }: Request): void {
  for (const [name, value] of Object.entries(uploadHeadersOf(analysis))) {
    if (headers[name] !== value) {
      const detail = `The header ${name} is not the one that was signed.`;
      throw new Refusal(403, 'SignatureDoesNotMatch', detail);
    }
  }
  const { sha256, sizeBytes } = analysis.file;
  const length = headers['content-length'];
  if (length === undefined) {
    throw new Refusal(411, 'MissingContentLength', 'The header Content-Length is missing.');
  }
  if (Number(length) !== sizeBytes) {
    throw new Refusal(400, 'LengthMismatch', `Expected ${sizeBytes} bytes.`);
  }
  if (createHash('sha256').update(body).digest('hex') !== sha256) {
    throw new Refusal(400, 'BadDigest', 'The sum of the bytes is not the announced one.');
  }
}

/** The same analysis always has the same bytes. */
function reportOf({ ending, id, mode }: LensAnalysis): Buffer {
  return fictionalPdf({ heading: `Analise de lente ${mode} (sandbox)`, id, outcome: ending });
}
