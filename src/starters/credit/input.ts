import { jobFolder } from '../../domain/job';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { AnalysisRepository, inputKey } from '../../store/credit/analyses';
import { indexDocuments } from '../../store/core/subject-index';
import { OtherBytesError, findLarge, putLarge } from '../../store/core/large-objects';
import { analysisText, type AnalysisRecord, type StoredInput } from '../../domain/credit/job';
import { engineKey } from '../../domain/credit/engine';
import { isUuid } from '../../domain/core/uuid';
import { checkInput, type CheckedInput } from '../../receivables/check-input';
import { documentsInCnab } from '../../receivables/held-documents';
import { briefLine, checkLines, mayBeSent, refusalWords, todayInBrazil } from './check';
import type { AnalysisOnFile } from './resolve';
import { CommandError, UsageError, reasonMissing, changedMeanwhile } from '../jobs/errors';
import { sumOf } from '../jobs/written-file';
import type { CommandContext } from '../jobs/context';

/** A file that may be sent, and its name. */
export interface PreparedInput {
  files: { cnab: string; xmls?: string };
  checked: CheckedInput;
  /** Empty without a ZIP. */
  xmlsSha256: string;
  engineId: string | null;
  /** As of `AnalysisRecord`. */
  name: string;
  fence: string | null;
}

/**
 * Scans a file, prints the findings, and names the purchase subject.
 *
 * @param detail `briefly`: one line for an accepted file
 * @throws UsageError when the scan refuses it, InputFileError when it cannot be read
 */
export async function preparedInput(
  ctx: CommandContext,
  { cnab, xmls, force }: { cnab: string; xmls?: string | undefined; force?: string | undefined },
  engine: string | null,
  detail: 'briefly' | 'in full' = 'in full',
): Promise<PreparedInput> {
  const today = todayInBrazil(new Date());
  const files = { cnab, ...(xmls !== undefined && { xmls }) };
  const checked = await checkInput({ ...files, today });
  if (detail === 'briefly' && mayBeSent(checked.worst))
    ctx.log(briefLine(cnab, checked, ctx.reader));
  else refuseFindings(ctx, { ...files, ...(force !== undefined && { force }) }, checked);
  const xmlsSha256 = xmls === undefined ? '' : (await sumOf(xmls)).sha256;
  return forEngine(ctx, { files, checked, xmlsSha256 }, engine);
}

/** The same input for another rule engine: another purchase subject. */
export function forEngine(
  { idKey }: CommandContext,
  { files, checked, xmlsSha256 }: Pick<PreparedInput, 'files' | 'checked' | 'xmlsSha256'>,
  engine: string | null,
): PreparedInput {
  const key = engine === null ? '' : engineKey(engine);
  const input = { cnab: checked.cnab, xmls: { sha256: xmlsSha256 } };
  const name = idKey.nameOf('manifest', analysisText(input, key));
  const isNamed = engine !== null && !isUuid(engine);
  const engineId = engine === null || isNamed ? null : key;
  return { files, checked, xmlsSha256, engineId, name, fence: isNamed ? null : name };
}

/** Stores the input and the job, with its audit event. */
export async function recordInput(
  ctx: CommandContext,
  input: PreparedInput,
  request: Pick<AnalysisRecord, 'engine' | 'filter' | 'forced' | 'label' | 'deadlineMs' | 'rerun'>,
): Promise<AnalysisOnFile> {
  const { engineId, fence, name } = input;
  const stored = await storedReceivables(ctx, input);
  const record = await new AnalysisRepository(ctx.store).put(ctx, {
    name,
    fence,
    engineId,
    ...stored,
    ...request,
  });
  return { folder: jobFolder(record.jobId), record, outcome: null };
}

/** Copies of the files, and the counts of the scan. */
export async function storedReceivables(
  ctx: CommandContext,
  { files, checked, xmlsSha256 }: PreparedInput,
): Promise<Pick<AnalysisRecord, 'cnab' | 'xmls' | 'assignor' | 'receivables' | 'totalCents'>> {
  const { cnab, xmls } = files;
  const assignor = checked.cnab.assignorDocument;
  return {
    cnab: await fileInput(ctx, cnab, checked.cnab.sha256, documentsInCnab(cnab)),
    xmls:
      xmls === undefined
        ? null
        : await fileInput(ctx, xmls, xmlsSha256, checked.invoices?.documents ?? []),
    assignor: assignor === null ? null : ctx.idKey.nameOf('document', assignor),
    receivables: checked.cnab.receivables,
    totalCents: String(checked.cnab.totalCents),
  };
}

/** Refuses a file that the scan refuses, unless a person gives a reason. */
function refuseFindings(
  { log, reader }: CommandContext,
  { cnab, xmls, force }: { cnab: string; xmls?: string; force?: string },
  checked: CheckedInput,
): void {
  if (force?.trim() === '') throw new UsageError(reasonMissing('--force'));
  if (checked.worst === null) return;
  const lines = checkLines(cnab, xmls ?? null, checked, 'without names', reader, force ?? null);
  for (const line of lines) log(line);
  if (mayBeSent(checked.worst)) return;
  if (checked.worst === 'override' && force !== undefined) return;
  const [en, pt] = refusalWords(checked);
  throw new UsageError([
    `${cnab}: refused by the local scan (${en}), nothing was sent`,
    `${cnab}: recusado pela verificação local (${pt}), nada foi enviado`,
  ]);
}

/**
 * Streams an unchanged copy into the store. Its subject index is written first: an
 * erasure also finds a copy that was interrupted here.
 */
async function fileInput(
  { store, idKey }: CommandContext,
  path: string,
  sha256: string,
  documents: Iterable<string> | AsyncIterable<string>,
): Promise<StoredInput> {
  const key = inputKey(sha256);
  const nameOf = (document: string): string => idKey.nameOf('document', document);
  await indexDocuments(store, key, nameOf, documents);
  try {
    const copy =
      (await findLarge(store, key)) ??
      (await putLarge(store, key, createReadStream(path), { sha256 }));
    return { name: basename(path), sha256, bytes: copy.bytes, key };
  } catch (error) {
    if (!(error instanceof OtherBytesError)) throw error;
    throw new CommandError(changedMeanwhile(path));
  }
}
