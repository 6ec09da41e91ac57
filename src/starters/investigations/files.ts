import type { SubjectFiles } from '../../domain/investigations/investigation';
import type { Subject } from '../../domain/investigations/plan';
import { preparedInput, storedReceivables } from '../credit/input';
import type { CommandContext } from '../jobs/context';
import { readInput, reasonToSend, storeInput } from '../lens/input';

export interface ReadFiles {
  /** With sums instead of paths. */
  subject: Subject;
  /** As read: nothing is stored. */
  read: SubjectFiles;
  /** Stores copies: requests are sent from these. */
  store(): Promise<SubjectFiles>;
}

/**
 * Reads the files of a subject to their ends.
 *
 * @throws UsageError when one cannot be sent
 */
export async function readFiles(ctx: CommandContext, subject: Subject): Promise<ReadFiles> {
  const { photo, receivables, xmls } = subject;
  const read = photo === null ? null : await readInput(photo, ctx.environment.lens.maxFileBytes);
  if (photo !== null && read !== null) reasonToSend(photo, read, undefined);
  const given = receivables === null ? null : { cnab: receivables, ...(xmls !== null && { xmls }) };
  const prepared = given && (await preparedInput(ctx, given, null, 'briefly'));
  return {
    subject: {
      ...subject,
      photo: read?.sha256 ?? null,
      receivables: prepared?.checked.cnab.sha256 ?? null,
      xmls: prepared && xmls !== null ? prepared.xmlsSha256 : null,
    },
    read: {
      photo: read && { file: { ...read, key: '' }, forced: null },
      receivables: prepared && {
        cnab: { name: '', sha256: prepared.checked.cnab.sha256, bytes: 0, key: '' },
        xmls: xmls === null ? null : { name: '', sha256: prepared.xmlsSha256, bytes: 0, key: '' },
        receivables: prepared.checked.cnab.receivables,
        totalCents: String(prepared.checked.cnab.totalCents),
      },
    },
    store: async () => ({
      photo:
        photo === null || read === null
          ? null
          : { file: await storeInput(ctx, photo, read), forced: null },
      receivables: prepared && (await storedReceivables(ctx, prepared)),
    }),
  };
}
