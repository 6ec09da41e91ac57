import { Context } from '@temporalio/activity';
import type { Archive } from '../archive/archive';
import { getJsonLines, toJsonLines } from '../archive/archive';
import { IssuanceFile } from '../archive/issuances';
import { erasedRow } from '../archive/tombstones';
import {
  WorkReader,
  filedOutcomes,
  workIdOfFolder,
  type LatestEdition,
  type WorkItem,
} from '../archive/works';
import {
  noCounts,
  type BatchSummary,
  type FiledRow,
  type ManifestLine,
} from '../domain/certificates';
import type { AuditEntry } from '../domain/audit';
import { outcomeEntry, requestEntry } from '../domain/audit-entries';
import {
  certificateSubject,
  standingAttempt,
  subjectState,
  type SubjectState,
} from '../domain/attempts';
import { certificateEnd } from '../domain/job';
import {
  mergeOutcomes,
  nothingTold,
  type MergedOutcome,
  type OutcomeRecord,
} from '../domain/outcomes';
import { itemsPerPart } from '../domain/work';
import { outcomeOfFact, sentOf, unsettledOutcome } from './certificate-outcomes';
import type { CertificateDependencies } from './dependencies';
import { archiveIncomplete } from './failures';
import { Heartbeats } from './heartbeats';

export interface MergeInput {
  /** Folder of the work whose rows are put together. */
  folder: string;
  workId: string;
  /** 0 for the batch itself; its decisions count on. Results of each edition stay on file. */
  edition: number;
  startedAt: number;
  /** Why rows that were never sent were not, for their note. */
  neverSent: string;
  /** Items [from, to) of lanes that failed: what they left without outcome is `failed`. */
  failedLanes: [from: number, to: number][];
}

/** Puts the outcomes of a work together: one row per input line, in order, and the counts. */
export function createCertificateMergeActivities(deps: CertificateDependencies) {
  const { archive, idKey, now } = deps;
  const issuances = new IssuanceFile(archive);
  const works = new WorkReader(archive);

  async function mergeWork(input: MergeInput): Promise<BatchSummary> {
    const heartbeats = new Heartbeats(now);
    const snapshotAt = now();
    try {
      const record = await works.record(input.folder);
      if (record === null) throw archiveIncomplete(`${input.folder}/work.json`);
      const { attempt } = Context.current().info;
      const scratch = `${input.folder}/merged/${input.edition}-${attempt}`;
      const latest = await works.latest(input.folder);
      const before = await works.summary(input.folder);
      // A decision about some rows must not change what is said of the others.
      const neverSent = latest?.neverSent ?? input.neverSent;
      await mergeItems({ ...input, neverSent }, scratch);
      const summary: BatchSummary = {
        batchId: input.workId,
        edition: input.edition,
        total: record.lines,
        blankLines: record.blankLines,
        counts: noCounts(),
        requested: 0,
        possibleDoubleCharges: 0,
        cost: null,
        inputName: record.inputName,
        startedAt: before?.startedAt ?? new Date(input.startedAt).toISOString(),
        finishedAt: new Date(now()).toISOString(),
      };
      const rowsFolder = `${input.folder}/results/${input.edition}`;
      await writeRows(input, scratch, rowsFolder, summary);
      summary.auditHead = await deps.audit.anchor();
      const end = { ...certificateEnd(summary.counts), endedAt: summary.finishedAt };
      const id = workIdOfFolder(input.folder);
      await archive.replace(`${rowsFolder}/summary.json`, JSON.stringify(summary, null, 2), {
        ...(input.edition > 0 && { ends: { id: `${id}/decision-${input.edition}`, ...end } }),
      });
      // The edition that stands, for whoever reads without asking the engine. Of two merges at
      // once the one that looked later has seen more.
      const standing = await works.latest(input.folder);
      if (standing === null || standing.snapshotAt <= snapshotAt) {
        const edition: LatestEdition = {
          edition: input.edition,
          rows: rowsFolder,
          neverSent,
          snapshotAt,
        };
        await archive.replace(`${input.folder}/latest.json`, JSON.stringify(edition), {
          ends: { id, ...end },
        });
      }
      return summary;
    } finally {
      heartbeats.stop();
    }
  }

  /** Items in order, in parts; one driver's outcomes in memory at a time, and all decisions. */
  async function mergeItems(input: MergeInput, scratch: string): Promise<void> {
    const byItem = new Map<number, OutcomeRecord[]>();
    for await (const { records } of filedOutcomes(archive, input.folder)) {
      for (const record of records) {
        const known = byItem.get(record.item);
        if (known === undefined) byItem.set(record.item, [record]);
        else known.push(record);
      }
    }
    let part: MergedOutcome[] = [];
    let parts = 0;
    const lost: AuditEntry[] = [];
    const flush = async (): Promise<void> => {
      await archive.replace(mergedKey(scratch, parts), toJsonLines(part));
      await deps.audit.append(lost.splice(0));
      parts += 1;
      part = [];
    };
    for await (const item of works.items(input.folder)) {
      const merged =
        mergeOutcomes(byItem.get(item.item) ?? []) ?? (await withoutOutcome(item, input, lost));
      byItem.delete(item.item);
      part.push(merged);
      if (part.length === itemsPerPart) await flush();
    }
    if (part.length > 0) await flush();
  }

  /** No activity filed anything: never sent, or its driver was lost. The claims tell which. */
  async function withoutOutcome(
    item: WorkItem,
    input: MergeInput,
    lost: AuditEntry[],
  ): Promise<MergedOutcome> {
    const subject = idKey.nameOf('document', item.document);
    const history = await archive.attempts.of(certificateSubject(item.type, subject));
    const state = subjectState(history, now());
    const ours = state.kind !== 'free' && state.owner.workflowId.startsWith(input.workId);
    const never: OutcomeRecord = {
      ...nothingTold,
      item: item.item,
      status: 'cancelled',
      certidaoId: null,
      attempts: 0,
      requestedAt: null,
      settledAt: new Date(now()).toISOString(),
      note: input.neverSent,
      possibleDoubleCharge: false,
    };
    const inFailedLane = input.failedLanes.some(
      ([from, to]) => item.item >= from && item.item < to,
    );
    if (!ours && inFailedLane) {
      const error = { errorCode: 'lane_failed', errorCategory: 'internal', retryable: true };
      const errorMessage = 'the lane of this row failed before it was requested';
      return { ...never, ...error, errorMessage, status: 'failed', note: '', issuances: [] };
    }
    if (!ours) return { ...never, issuances: [] };
    const record = await leftByLostDriver(item, state, never);
    const work = { workId: input.workId, by: await works.askedBy(input.folder) };
    const last = standingAttempt(history);
    const request = last && requestEntry(sentOf(item, subject, last), work);
    if (request !== null) lost.push(request);
    lost.push(outcomeEntry(record, work));
    return { ...record, issuances: record.certidaoId === null ? [] : [record.certidaoId] };
  }

  /** Sent by a driver that never filed what came of it. */
  async function leftByLostDriver(
    item: WorkItem,
    state: SubjectState,
    never: OutcomeRecord,
  ): Promise<OutcomeRecord> {
    if (state.kind !== 'accepted') {
      const lost = { errorCode: 'unknown_outcome', errorCategory: 'unknown', attempts: 1 };
      const errorMessage = 'the work ended before the answer to its request was known';
      return { ...never, ...lost, errorMessage, status: 'unknown_outcome', note: '' };
    }
    const { externalId: certidaoId, at: requestedAt } = state;
    const history = { requestedAt, attempts: 1, flags: 0 };
    const fact = await issuances.fact(certidaoId);
    if (fact !== null) return outcomeOfFact(fact, item, history);
    return unsettledOutcome('expired', item, certidaoId, history, {
      code: 'left_outstanding',
      category: 'expired',
      message: 'the work ended before the issuance settled',
    });
  }

  async function writeRows(
    input: MergeInput,
    scratch: string,
    rowsFolder: string,
    summary: BatchSummary,
  ): Promise<void> {
    const merged = new PartReader<MergedOutcome>(archive, (part) => mergedKey(scratch, part));
    const items = new PartReader<WorkItem>(
      archive,
      (part) => `${input.folder}/items/${String(part).padStart(5, '0')}.jsonl`,
    );
    let rows: FiledRow[] = [];
    let parts = 0;
    const flush = async (): Promise<void> => {
      await archive.replace(rowsKey(rowsFolder, parts), toJsonLines(rows));
      parts += 1;
      rows = [];
    };
    for await (const line of works.lines(input.folder)) {
      const row = await rowOf(line, merged, items);
      summary.counts[row.status] += 1;
      if (row.status !== 'duplicate') {
        summary.requested += row.attempts;
        summary.possibleDoubleCharges += row.possibleDoubleCharge ? 1 : 0;
      }
      rows.push(row);
      if (rows.length === itemsPerPart) await flush();
    }
    if (rows.length > 0 || parts === 0) await flush();
  }

  return { mergeWork };
}

async function rowOf(
  line: ManifestLine,
  merged: PartReader<MergedOutcome>,
  items: PartReader<WorkItem>,
): Promise<FiledRow> {
  if ('code' in line) {
    if (line.erased === true) return erasedRow(line);
    return {
      ...emptyRow,
      issuances: [],
      line: line.line,
      item: null,
      document: line.document,
      type: line.type,
      status: line.kind,
      errorCode: line.code,
      errorCategory: 'input',
      errorMessage: line.message,
      reference: line.reference,
    };
  }
  const [item, outcome] = await Promise.all([items.at(line.item), merged.at(line.item)]);
  if (item.erased === true) {
    const { type } = item;
    return erasedRow(line.kind === 'item' ? { ...outcome, ...line, type } : { ...line, type });
  }
  const own = line.kind === 'item' ? item : line;
  const notes = [own.note, outcome.note, earlierIssuances(outcome)];
  return {
    line: line.line,
    item: line.item,
    document: item.document,
    type: item.type,
    status: line.kind === 'item' ? outcome.status : 'duplicate',
    certidaoId: outcome.certidaoId,
    classification: outcome.classification,
    divergent: outcome.divergent,
    officialName: outcome.officialName,
    capturedAt: outcome.capturedAt,
    pdfKey: outcome.pdfKey,
    sha256: outcome.sha256,
    attempts: line.kind === 'item' ? outcome.attempts : 0,
    errorCode: outcome.errorCode,
    errorCategory: outcome.errorCategory,
    errorMessage: outcome.errorMessage,
    reference: own.reference,
    duplicateOf: line.kind === 'duplicate' ? line.duplicateOf : null,
    note: notes.filter((note) => note !== '').join('; '),
    possibleDoubleCharge: outcome.possibleDoubleCharge,
    retryable: outcome.retryable,
    requestedAt: outcome.requestedAt,
    completedAt: outcome.completedAt,
    issuances: outcome.issuances,
  };
}

function earlierIssuances({ issuances, certidaoId }: MergedOutcome): string {
  const others = issuances.filter((id) => id !== certidaoId);
  return others.length === 0 ? '' : `other issuances: ${others.join(' ')}`;
}

/** A line that never was a thing to buy. */
const emptyRow = {
  certidaoId: null,
  classification: null,
  divergent: null,
  officialName: null,
  capturedAt: null,
  pdfKey: null,
  sha256: null,
  attempts: 0,
  duplicateOf: null,
  note: '',
  possibleDoubleCharge: false,
  retryable: null,
  requestedAt: null,
  completedAt: null,
} satisfies Partial<FiledRow>;

/** Numbered records that stand in parts, read with a few parts in memory. */
class PartReader<T> {
  readonly #archive: Archive;
  readonly #key: (part: number) => string;
  readonly #parts = new Map<number, T[]>();

  constructor(archive: Archive, key: (part: number) => string) {
    this.#archive = archive;
    this.#key = key;
  }

  async at(place: number): Promise<T> {
    const number = Math.floor(place / itemsPerPart);
    let part = this.#parts.get(number);
    if (part === undefined) {
      part = (await getJsonLines<T>(this.#archive, this.#key(number))) ?? [];
      const oldest = [...this.#parts.keys()][0];
      if (this.#parts.size >= 8 && oldest !== undefined) this.#parts.delete(oldest);
      this.#parts.set(number, part);
    }
    const record = part[place % itemsPerPart];
    if (record === undefined) throw archiveIncomplete(`item ${place} of the work`);
    return record;
  }
}

function mergedKey(scratch: string, part: number): string {
  return `${scratch}/${String(part).padStart(5, '0')}.jsonl`;
}

function rowsKey(folder: string, part: number): string {
  return `${folder}/${String(part).padStart(5, '0')}.jsonl`;
}
