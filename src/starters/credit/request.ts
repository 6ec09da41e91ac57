import { z } from 'zod';
import { resultFilters, type ResultFilter } from '../../domain/credit/operation';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/job';
import type { CommandContext } from '../jobs/context';
import type { Job } from '../jobs/job-kind';
import { budgetTerm, inputTerms, startTerms } from '../jobs/begin/request';
import { startable, startableBatch } from '../jobs/begin/startable';
import { analysisBatchKind, analysisKind } from './kind';
import { isWithin, type StartPlan } from '../jobs/begin/start-job';
import { mayBeSent } from './check';
import { preparedInput, recordInput, type PreparedInput } from './input';
import { reissueOnRerun, existingAnalysis, engineTerms } from './resolve';
import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { InputFileError } from '../../receivables/open-input';
import type { BatchRequest } from '../jobs/batches/request';
import { UsageError, reasonMissing, unreadableInput } from '../jobs/errors';
import { listedRows } from '../jobs/batches/listed-rows';

const requestTerms = {
  engine: z
    .string()
    .optional()
    .meta({ value: 'id|name', description: 'the rule engine (default: the service chooses)' }),
  filter: z.enum(resultFilters).default('all').describe('what result.json holds'),
  force: z.string().optional().meta({
    value: 'reason',
    description: 'send although the local scan refuses it; the reason is kept',
  }),
  ...startTerms('24h'),
};

const inputPath = z.string().meta({
  value: 'path',
  description:
    'the CNAB 400 or 444 file (remessa), or a folder: every .rem in it, X.rem with X.zip beside it',
});

const analysisRequest = z.strictObject({
  input: inputPath,
  xmls: z.string().optional().meta({ value: 'zip', description: 'a ZIP of NF-e XML documents' }),
  ...requestTerms,
});

const analysisBatchRequest = z.strictObject({
  input: inputPath,
  concurrency: inputTerms('', 4).concurrency,
  ...budgetTerm,
  ...requestTerms,
});

/** The same file, XMLs and engine are the same analysis. */
async function planAnalysis(
  ctx: CommandContext,
  request: z.output<typeof analysisRequest>,
): Promise<StartPlan<AnalysisRecord, AnalysisOutcome>> {
  const { deadline, engine: wanted = null, filter, force, input: cnab, label = null } = request;
  const files = { cnab, ...(request.xmls !== undefined && { xmls: request.xmls }) };
  const scanned = { ...files, ...(force !== undefined && { force }) };
  const prepared = await preparedInput(ctx, scanned, wanted);
  const before = await existingAnalysis(ctx, prepared);
  const found = before.kind === 'new' ? null : before.analysis.record.jobId;
  const existing =
    found === null
      ? null
      : ((await ctx.store.jobs.find(found)) as Job<AnalysisRecord, AnalysisOutcome>);
  const isAnew = request.rerun === true || !isWithin(request.maxAge, existing);
  return {
    existing,
    isAnswer: before.kind === 'ended' && !isAnew,
    record: async () => {
      await reissueOnRerun(ctx, prepared);
      const forced = mayBeSent(prepared.checked.worst) ? null : (force ?? null);
      const rerun = request.rerun === true;
      const order = { engine: wanted, filter, forced, label, deadlineMs: deadline, rerun };
      return (await recordInput(ctx, prepared, order)).record.jobId;
    },
    run: deadline,
  };
}

export const analysis = startable(analysisKind, analysisRequest, planAnalysis);
export const analyses = startableBatch(analysisBatchKind, analysisBatchRequest, analysisBatch);

interface FolderRequest {
  input: string;
  engine?: string | undefined;
  filter: ResultFilter;
  force?: string | undefined;
  label?: string | undefined;
  rerun?: boolean | undefined;
}

/** A file of the folder, scanned. */
interface ScannedFile {
  file: string;
  input: PreparedInput | null;
  /** Why it is not sent. */
  refused: string | null;
}

/** Bounds the listing in memory. */
const mostFiles = 20_000;

/** One analysis for each different CNAB file (.rem) of a folder, X.rem with X.zip beside it. */
async function analysisBatch(
  ctx: CommandContext,
  { engine, filter, force, input: folder, label, rerun }: FolderRequest,
): Promise<BatchRequest> {
  if (force?.trim() === '') throw new UsageError(reasonMissing('--force'));
  const scanned = await scanFolder(ctx, folder, engine ?? null, force);
  const inputs = new Map<string, PreparedInput>();
  for (const { file, input } of scanned) if (input !== null) inputs.set(file, input);
  const inputOf = (file: string): PreparedInput => {
    const input = inputs.get(file);
    if (input === undefined) throw new RangeError(`no file ${file} was scanned`);
    return input;
  };
  return {
    kind: 'credit-batch',
    label: label ?? null,
    rerun: rerun === true,
    terms: [...inputs].map(([file, { name }]) => [file, name]),
    requestsPerRow: 1,
    inputName: folder,
    inputPath: null,
    // Files with the same bytes are one row.
    rows: () =>
      listedRows('file', () =>
        scanned.map(({ file: document, refused }) => {
          return { document, refused, key: inputs.get(document)?.name ?? null };
        }),
      ),
    existing: async (file) => {
      const existing = await existingAnalysis(ctx, inputOf(file));
      if (existing.kind === 'new') return null;
      const { record } = existing.analysis;
      return { jobId: record.jobId, ended: existing.kind === 'ended', terms: engineTerms(record) };
    },
    put: async (file, again) => {
      const input = inputOf(file);
      const isAnew = again !== null;
      if (isAnew) await reissueOnRerun(ctx, input);
      const forced = mayBeSent(input.checked.worst) ? null : (force ?? null);
      const request = { engine: engine ?? null, filter, forced, rerun: isAnew };
      const { record } = await recordInput(ctx, input, request);
      return { jobId: record.jobId, terms: engineTerms(record) };
    },
  };
}

async function scanFolder(
  ctx: CommandContext,
  folder: string,
  engine: string | null,
  force: string | undefined,
): Promise<ScannedFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(unreadableInput('--input', folder, error));
  });
  const files = names.filter((name) => endingOf(name) === '.rem').sort();
  if (files.length === 0)
    throw new UsageError([
      `--input: ${folder} holds no .rem file`,
      `--input: ${folder} não contém nenhum arquivo .rem`,
    ]);
  if (files.length > mostFiles) {
    throw new UsageError([
      `--input: ${folder}: ${files.length} files, at most ${mostFiles} in a batch; nothing was sent`,
      `--input: ${folder}: ${files.length} arquivos, no máximo ${mostFiles} por lote; nada foi enviado`,
    ]);
  }
  const scanned: ScannedFile[] = [];
  for (const file of files) {
    const zip = names.find((name) => endingOf(name) === '.zip' && stemOf(name) === stemOf(file));
    const paths = {
      cnab: join(folder, file),
      ...(zip !== undefined && { xmls: join(folder, zip) }),
      ...(force !== undefined && { force }),
    };
    try {
      const input = await preparedInput(ctx, paths, engine, 'briefly');
      scanned.push({ file, input, refused: null });
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof InputFileError)) throw error;
      ctx.log(ctx.reader.say(...error.words));
      scanned.push({ file, input: null, refused: error.message });
    }
  }
  for (const file of zipsAlone(names)) {
    ctx.log(
      ctx.reader.say(
        `${file}: ${noFileOfIt}; not sent`,
        `${file}: nenhum .rem com este nome; não enviado`,
      ),
    );
    scanned.push({ file, input: null, refused: noFileOfIt });
  }
  return scanned;
}

const noFileOfIt = 'no .rem of this name';

/** Invoice ZIPs without a CNAB file. */
function zipsAlone(names: readonly string[]): string[] {
  const stems = new Set(names.filter((name) => endingOf(name) === '.rem').map(stemOf));
  return names.filter((name) => endingOf(name) === '.zip' && !stems.has(stemOf(name))).sort();
}

function endingOf(name: string): string {
  return extname(name).toLowerCase();
}

function stemOf(name: string): string {
  return basename(name, extname(name)).toLowerCase();
}
