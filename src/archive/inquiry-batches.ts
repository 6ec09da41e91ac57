import {
  inquiriesPerPart,
  type InquiryBatchEnd,
  type InquiryBatchRecord,
  type InquiryWork,
} from '../domain/inquiry-batch';
import { inquiryBatchEnd } from '../domain/job';
import { profileFolder } from '../domain/profiles/lookup';
import { traceFolder } from '../domain/traces/search';
import { getJsonLines, toJsonLines, type Archive } from './archive';
import { BatchShelf } from './batch-shelf';
import { ProfileFile } from './profiles';
import { TraceFile } from './traces';

/** Batches of searches and lookups on file: beside the rest, the work of each item. */
export class InquiryBatchShelf extends BatchShelf<InquiryBatchRecord, InquiryBatchEnd> {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    super(archive, {
      root: 'inquiries/',
      parts: 'parts',
      perPart: inquiriesPerPart,
      start: ({ batchId: id, kind }) => ({ id, kind }),
      end: ({ batchId: id, linesAtFault }, { counts, endedAt }) => ({
        id,
        endedAt,
        ...inquiryBatchEnd(counts, linesAtFault),
      }),
    });
    this.#archive = archive;
  }

  /** In the order of the items. Before the record, which makes the batch be there. */
  async putItemWorks(folder: string, works: readonly InquiryWork[]): Promise<void> {
    await this.#archive.putIfAbsent(`${folder}/item-works.jsonl`, toJsonLines(works));
  }

  async itemWorks(folder: string): Promise<InquiryWork[]> {
    return (await getJsonLines<InquiryWork>(this.#archive, `${folder}/item-works.jsonl`)) ?? [];
  }
}

/** How a search or a lookup ended; null before its end. */
export async function inquiryStatus(archive: Archive, workId: string): Promise<string | null> {
  const outcome = workId.startsWith('trace/')
    ? await new TraceFile(archive).outcome(traceFolder(workId))
    : await new ProfileFile(archive).outcome(profileFolder(workId));
  return outcome?.status ?? null;
}
