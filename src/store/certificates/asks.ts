import type { CertificateType, ManifestRow } from '../../domain/certificates/certificates';
import {
  workFolder,
  type WorkRecord,
  type WorkRef,
  type WorkTerms,
} from '../../domain/certificates/work';
import type { Asker } from '../core/asker';
import { WorkWriter } from './works';

/** What is asked for, before it is on record. */
export type AskedWork = Pick<
  WorkRecord,
  'workId' | 'kind' | 'type' | 'label' | 'rerun' | 'columns'
> & {
  rows: AsyncIterable<ManifestRow> | Iterable<ManifestRow>;
  blankLines?: number;
  /** As it is stored; null: there is no file. */
  input: Pick<WorkRecord, 'inputName' | 'inputSha256' | 'inputKey'> | null;
};

/** Records a work, in bounded memory: it can be started then. */
export async function putWork(
  { environment, idKey, store }: Asker,
  { rows, blankLines = 0, input, ...asked }: AskedWork,
  terms: WorkTerms,
): Promise<WorkRef> {
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const writer = new WorkWriter(store, workFolder(asked.workId), nameOf);
  let lines = 0;
  for await (const row of rows) {
    await writer.add(row);
    lines += 1;
  }
  // Without what is the engine's alone.
  const { rowDeadlineMs, reuseSince, onUnknown, concurrency, budget } = terms;
  return writer.finish({
    ...asked,
    ...(input ?? { inputName: null, inputSha256: null, inputKey: null }),
    createdAt: new Date().toISOString(),
    createdBy: environment.actor,
    lines,
    blankLines,
    terms: {
      rowDeadlineMs,
      reuseSince,
      onUnknown,
      ...(concurrency !== undefined && { concurrency }),
      ...(budget !== undefined && { budget }),
    },
  });
}

/** Records one document as a job of its own: it can be started then. */
export async function putIssuance(
  asker: Asker,
  workId: string,
  type: CertificateType,
  {
    document,
    note,
    ...how
  }: { document: string; note: string } & Pick<WorkRecord, 'label' | 'rerun'>,
  terms: WorkTerms,
): Promise<WorkRef> {
  const row = { kind: 'item', item: 0, line: 1, type, document, reference: '', note } as const;
  const asked = { workId, kind: 'certificate', type, rows: [row], input: null } as const;
  return putWork(asker, { ...asked, ...how }, terms);
}
