import { basename } from 'node:path';
import type { AnalysisRecord, StoredInput } from '../../domain/credit/job';
import { checkInput, type CheckedInput } from '../../receivables/check-input';
import { documentsInCnab } from '../../receivables/held-documents';
import { analysisNames, inputKey } from '../../store/credit/analyses';
import { indexDocuments } from '../../store/core/subject-index';
import type { CommandContext } from '../jobs/context';
import { UsageError, reasonMissing } from '../jobs/errors';
import { storeCopy, sumOf } from '../jobs/written-file';
import { briefLine, checkLines, mayBeSent, refusalWords, todayInBrazil } from './check';

/** A file that may be sent, and its name. */
export interface PreparedInput extends Pick<
  AnalysisRecord,
  'engine' | 'engineId' | 'fence' | 'name'
> {
  files: { cnab: string; xmls: string | null };
  checked: CheckedInput;
  /** Empty without a ZIP. */
  xmlsSha256: string;
}

interface Given {
  cnab: string;
  xmls?: string | undefined;
  /** Why a file is sent that the scan refuses. */
  force?: string | undefined;
}

/**
 * Scans a file, prints the findings, and names the purchase subject.
 * @param detail `briefly`: one line for an accepted file
 */
export async function preparedInput(
  ctx: CommandContext,
  { cnab, xmls, force }: Given,
  engine: string | null,
  detail: 'briefly' | 'in full' = 'in full',
): Promise<PreparedInput> {
  const { log, reader } = ctx;
  const today = todayInBrazil(new Date());
  if (force?.trim() === '') throw new UsageError(reasonMissing('--force'));
  const checked = await checkInput({ cnab, today, ...(xmls !== undefined && { xmls }) });
  const { worst } = checked;
  if (detail === 'briefly' && mayBeSent(worst)) log(briefLine(cnab, checked, reader));
  else if (worst !== null) {
    const words = checkLines(cnab, xmls ?? null, checked, reader, force);
    for (const line of words) log(line);
  }
  if (!mayBeSent(worst) && (worst !== 'override' || force === undefined)) {
    const [en, pt] = refusalWords(checked);
    throw new UsageError([
      `${cnab}: refused by the local scan (${en}), nothing was sent`,
      `${cnab}: recusado pela verificação local (${pt}), nada foi enviado`,
    ]);
  }
  const xmlsSha256 = xmls === undefined ? '' : (await sumOf(xmls)).sha256;
  const names = analysisNames(ctx, { cnab: checked.cnab, xmls: { sha256: xmlsSha256 } }, engine);
  return { files: { cnab, xmls: xmls ?? null }, checked, xmlsSha256, ...names };
}

export async function storedReceivables(
  ctx: CommandContext,
  { files: { cnab, xmls }, checked, xmlsSha256 }: PreparedInput,
): Promise<Pick<AnalysisRecord, 'cnab' | 'xmls' | 'assignor' | 'receivables' | 'totalCents'>> {
  const { assignorDocument, receivables, sha256, totalCents } = checked.cnab;
  const held = checked.invoices?.documents ?? [];
  return {
    cnab: await fileInput(ctx, cnab, sha256, documentsInCnab(cnab)),
    xmls: xmls === null ? null : await fileInput(ctx, xmls, xmlsSha256, held),
    assignor: assignorDocument === null ? null : ctx.idKey.nameOf('document', assignorDocument),
    receivables,
    totalCents: String(totalCents),
  };
}

/** Its subject index is written first: an erasure also finds a copy that was interrupted here. */
async function fileInput(
  { store, idKey }: CommandContext,
  path: string,
  sha256: string,
  documents: Iterable<string> | AsyncIterable<string>,
): Promise<StoredInput> {
  const key = inputKey(sha256);
  const nameOf = (document: string): string => idKey.nameOf('document', document);
  await indexDocuments(store, key, nameOf, documents);
  const { bytes } = await storeCopy(store, key, path, sha256);
  return { name: basename(path), sha256, bytes, key };
}
