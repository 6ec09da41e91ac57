import { readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { z } from 'zod';
import { type AnalysisOutcome, type AnalysisRecord, resultFilters } from '../../domain/credit/job';
import { InputFileError } from '../../receivables/open-input';
import type { SameRequest } from '../../store/core/jobs/same-request';
import { AnalysisRepository } from '../../store/credit/analyses';
import { listedRows } from '../jobs/batches/listed-rows';
import { budgetTerm, inputTerms, startTerms } from '../jobs/begin/request';
import { planOne, rowsBy } from '../jobs/begin/same-request';
import { startable, startableBatch } from '../jobs/begin/startable';
import type { CommandContext } from '../jobs/context';
import { UsageError, reasonMissing, unreadableInput } from '../jobs/errors';
import { mayBeSent } from './check';
import { preparedInput, storedReceivables, type PreparedInput } from './input';
import { analysisBatchKind, analysisKind } from './kind';
import { existingAnalysis, reissueOnRerun } from './resolve';

const terms = {
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
  ...terms,
});

const analysisBatchRequest = z.strictObject({
  input: inputPath,
  concurrency: inputTerms('', 4).concurrency,
  ...budgetTerm,
  ...terms,
});

type Terms = Pick<z.output<typeof analysisRequest>, 'engine' | 'filter' | 'force'>;

/** The same file, XMLs and engine are the same analysis. @param inputOf the scanned input of an item */
function analyses<Item>(
  ctx: CommandContext,
  { filter, force }: Omit<Terms, 'engine'>,
  inputOf: (item: Item) => PreparedInput,
): SameRequest<Item, AnalysisRecord, AnalysisOutcome> {
  return {
    newest: async (item) => (await existingAnalysis(ctx, inputOf(item)))?.job ?? null,
    isFinal: () => true,
    async put(item, { terms: order }) {
      const input = inputOf(item);
      await reissueOnRerun(ctx, input);
      const { checked, engine, engineId, fence, name } = input;
      return new AnalysisRepository(ctx.store).put(ctx, {
        name,
        fence,
        engineId,
        ...(await storedReceivables(ctx, input)),
        engine,
        filter,
        forced: mayBeSent(checked.worst) ? null : (force ?? null),
        ...order,
      });
    },
  };
}

export const analysis = startable(analysisKind, analysisRequest, async (ctx, request) => {
  const { engine = null, force, input: cnab, xmls } = request;
  const input = await preparedInput(ctx, { cnab, xmls, force }, engine);
  // Its record has an entry of its own.
  return planOne(
    ctx,
    analyses(ctx, request, (own: PreparedInput) => own),
    input,
    request,
    null,
  );
});

export const analysesOfFolder = startableBatch(
  analysisBatchKind,
  analysisBatchRequest,
  async (ctx, request) => {
    const { input: folder, label = null, maxAge, rerun = false } = request;
    const scanned = await scanFolder(ctx, folder, request);
    const inputs = new Map<string, PreparedInput>();
    for (const { file, input } of scanned) if (input !== null) inputs.set(file, input);
    const inputOf = (file: string): PreparedInput => {
      const input = inputs.get(file);
      if (input === undefined) throw new RangeError(`no file ${file} was scanned`);
      return input;
    };
    return {
      ...rowsBy(ctx, analysisKind, analyses(ctx, request, inputOf), maxAge),
      label,
      rerun,
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
    };
  },
);

interface ScannedFile {
  file: string;
  input: PreparedInput | null;
  /** Why it is not sent. */
  refused: string | null;
}

const noFileOfIt = 'no .rem of this name';

async function scanFolder(
  ctx: CommandContext,
  folder: string,
  { engine, force }: Omit<Terms, 'filter'>,
): Promise<ScannedFile[]> {
  const { log, reader } = ctx;
  if (force?.trim() === '') throw new UsageError(reasonMissing('--force'));
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(unreadableInput('--input', folder, error));
  });
  const withEnding = (ending: string): string[] =>
    names.filter((name) => parse(name).ext.toLowerCase() === ending).sort();
  const stemOf = (name: string): string => parse(name).name.toLowerCase();
  const [files, zips] = [withEnding('.rem'), withEnding('.zip')];
  if (files.length === 0)
    throw new UsageError([
      `--input: ${folder} holds no .rem file`,
      `--input: ${folder} não contém nenhum arquivo .rem`,
    ]);
  const scanned: ScannedFile[] = [];
  for (const file of files) {
    const zip = zips.find((name) => stemOf(name) === stemOf(file));
    const xmls = zip === undefined ? undefined : join(folder, zip);
    try {
      const given = { cnab: join(folder, file), xmls, force };
      const input = await preparedInput(ctx, given, engine ?? null, 'briefly');
      scanned.push({ file, input, refused: null });
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof InputFileError)) throw error;
      log(reader.say(...error.words));
      scanned.push({ file, input: null, refused: error.message });
    }
  }
  const stems = new Set(files.map(stemOf));
  for (const file of zips.filter((name) => !stems.has(stemOf(name)))) {
    const pt = `${file}: nenhum .rem com este nome; não enviado`;
    log(reader.say(`${file}: ${noFileOfIt}; not sent`, pt));
    scanned.push({ file, input: null, refused: noFileOfIt });
  }
  return scanned;
}
