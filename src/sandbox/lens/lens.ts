/** Analyses: their routes on both origins, and what the service holds. */

import { z } from 'zod';
import { seededUuid } from '../core/chance';
import { fictionalPdf } from '../core/fictional-pdf';
import { Tally } from '../core/tally';
import { beginWork } from '../core/work';
import { stepAt } from '../faults/fault-plan';
import type { Answer } from '../http/answer';
import { IdempotencyKeys } from '../http/idempotency-keys';
import { expiredLink, Refusal, sandboxFull } from '../http/refusal';
import { readBodyAs } from '../http/request-body';
import { refuseRoute, uuidIn } from '../http/router';
import {
  createService,
  refuseBody,
  type PreparedCall,
  type Request,
  type ResourceParts,
  type Route,
} from '../http/service';
import { filesPrefix } from '../http/signed-links';
import { analysisStatusAt, uploadTime, type LensAnalysis } from './analysis';
import { lensModes, lensRoles, type LensStage } from './lens-scenario';
import { fileArrived, refuseUploadHeaders, uploadHeadersOf } from './lens-upload';
import { analysisOnWire, artifactIdOf, artifactsThere, type LensView } from './lens-wire';

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

export function createLens(parts: ResourceParts & { capacity: number }) {
  const { clock, links, seed } = parts;
  const scenario = () => parts.scenario().lens;
  const keys = new IdempotencyKeys(() => scenario().repeatedKey);
  const analyses = new Map<string, LensAnalysis>();
  const tally = new Tally(() => noCounts);

  const scriptOf = (sha256: string) => scenario().files[sha256] ?? scenario().files['*'];
  const viewAt = (now: number): LensView => ({
    seed,
    now,
    scenario: scenario(),
    link: (path, expiresAt) => links.make(`lente/${path}`, expiresAt),
  });
  const shown = (analysis: LensAnalysis, now = clock.now()) =>
    analysisOnWire(analysis, viewAt(now));

  const countsOf = (sha256: string) => tally.of(sha256, { sha256 });

  const about = (analysis: LensAnalysis, act: () => Answer): PreparedCall => ({
    subject: analysis.file.sha256,
    id: analysis.id,
    act,
  });

  /** @throws Refusal 400, 404 */
  function find(params: Request['params']): LensAnalysis {
    const analysis = analyses.get(uuidIn(params, 'id'));
    if (analysis === undefined) throw new Refusal(404, 'analysis_not_found', 'No such analysis.');
    return analysis;
  }

  function prepareCreate(request: Request): PreparedCall {
    const key = keys.arrived(request);
    const { mode, file } = readCreate(request, scenario());
    const line = countsOf(file.sha256);
    line.requested += 1;
    const status = scenario().successStatus;
    const asked = `lens|${file.sha256}|${file.sizeBytes}|${mode}`;
    const made = analyses.get(keys.made(key, asked) ?? '');
    if (made !== undefined) return about(made, () => ({ status, json: shown(made) }));
    const { maxFileBytes } = scenario();
    if (file.sizeBytes > maxFileBytes) {
      throw new Refusal(413, 'file_too_large', `Expected at most ${maxFileBytes} bytes.`);
    }
    if (analyses.size >= parts.capacity) throw sandboxFull(parts.capacity);
    return {
      subject: file.sha256,
      id: null,
      act: () => {
        const analysis = begin(mode, file);
        keys.bind(key, asked, analysis.id);
        // As it stands at birth, even where the upload expires at once.
        return { status, json: shown(analysis, -Infinity) };
      },
    };
  }

  function begin(mode: LensAnalysis['mode'], file: LensAnalysis['file']): LensAnalysis {
    const counts = countsOf(file.sha256);
    const script = scriptOf(file.sha256);
    const ending = stepAt(script?.end ?? [], counts.created)?.kind ?? 'completed';
    counts.created += 1;
    const words = [seed, 'lens', file.sha256, counts.created];
    const at = clock.now();
    const analysis: LensAnalysis = {
      id: seededUuid(words.join('|')),
      mode,
      file,
      ending,
      script,
      createdAt: at,
      uploadUntil: at + uploadTime(script, scenario(), counts.created),
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
    const analysis = find(request.params);
    const line = countsOf(analysis.file.sha256);
    line.uploadTries += 1;
    const expected = uploadHeadersOf(analysis);
    refuseUploadHeaders(analysis, expected, request.headers);
    const arrived = fileArrived(request.body, analysis);
    if (clock.now() >= analysis.uploadUntil) throw expiredLink();
    return about(analysis, () => {
      line.uploads += 1;
      analysis.arrived ??= { at: clock.now(), ...arrived };
      if (!scenario().submit) start(analysis);
      return { status: 200, bytes: Buffer.alloc(0), contentType: 'application/xml' };
    });
  }

  function prepareSubmit(request: Request): PreparedCall {
    if (!scenario().submit) {
      throw new Refusal(404, 'unknown_route', 'The sandbox has no route to submit an analysis.');
    }
    const analysis = find(request.params);
    refuseBody(request);
    if (analysis.arrived === null || analysisStatusAt(analysis, clock.now()) === 'expired') {
      throw new Refusal(409, 'file_missing', 'The file has not arrived.');
    }
    return about(analysis, () => {
      start(analysis);
      return { status: 202, json: shown(analysis) };
    });
  }

  function prepareRead({ params }: Request): PreparedCall {
    refuseRoute(scenario().readRoute);
    const analysis = find(params);
    countsOf(analysis.file.sha256).reads += 1;
    return about(analysis, () => ({ status: 200, json: shown(analysis) }));
  }

  function prepareArtifact({ params }: Request): PreparedCall {
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
      bytes: kept?.bytes ?? reportOf(analysis),
      contentType: kept?.mediaType ?? 'application/pdf',
    }));
  }

  const one = `${analysesPath}/:id`;
  const routes: Route<LensStage>[] = [
    { method: 'POST', path: analysesPath, stage: 'create', prepare: prepareCreate },
    { method: 'GET', path: one, stage: 'read', prepare: prepareRead },
    { method: 'POST', path: `${one}/submit`, stage: 'submit', prepare: prepareSubmit },
    {
      method: 'PUT',
      path: `${lensFilesPath}/uploads/:id`,
      stage: 'upload',
      query: 'any',
      fileLimitBytes: uploadLimitBytes,
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

  const service = createService<LensStage>({
    ...parts,
    name: 'lens',
    roles: lensRoles,
    section: scenario,
    scriptOf: ({ subject }) => scriptOf(subject),
    routes: () => routes,
  });

  return {
    ...service,
    paths: [lensPath, lensFilesPath],
    counts: () => ({ calls: service.calls(), keys: keys.seen(), items: tally.all() }),
    state: () =>
      [...analyses.values()].map((analysis) => ({
        ending: analysis.ending,
        analysis: shown(analysis),
      })),
  };
}

/** @throws Refusal 400, 415, 422 */
function readCreate(
  request: Request,
  { modeField }: { modeField: string | null },
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
  const mode = modeField === null ? undefined : body[modeField];
  return {
    mode: (mode as LensAnalysis['mode'] | undefined) ?? 'geo',
    file: { sizeBytes: body.file.size_bytes, sha256: body.file.sha256 },
  };
}

/** The same analysis always has the same bytes. */
function reportOf({ ending, id, mode }: LensAnalysis): Buffer {
  return fictionalPdf({ heading: `Analise de lente ${mode} (sandbox)`, id, outcome: ending });
}
