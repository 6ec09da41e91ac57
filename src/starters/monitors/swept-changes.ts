import { changeRecord, type ChangeRecord } from '../../domain/monitors/change-record';
import type { ScanOutcome, ScanRecord } from '../../domain/monitors/scan';
import type { SweepOutcome } from '../../domain/monitors/sweep';
import { ChangeQueries, type ReviewedFile } from '../../store/monitors/change-queries';
import { MonitorListRepository } from '../../store/monitors/lists';
import type { CommandContext } from '../jobs/context';
import { changeDocument, changeLines, type ChangeDocument } from './change-lines';

/** For one sweep or scan; `monitor changes` lists all. */
const mostListed = 1_000;
const mostShown = 50;

/** The first changes of a sweep or scan, and their number. */
export interface SweptChanges {
  total: number;
  rows: readonly ChangeDocument[];
}

interface FoundChanges {
  total: number;
  files: readonly ReviewedFile[];
}

/** What a sweep stored, delivered or acknowledged, with the current status. */
export async function sweptBy(
  { store }: CommandContext,
  { monitorId, sweep }: SweepOutcome,
  most: 'listed' | 'shown',
): Promise<FoundChanges> {
  return new ChangeQueries(store).ofSweep({ monitorId, sweep }, bounds[most]);
}

/** What was stored of a scan's monitors while it ran. */
export async function scannedBetween(
  { store }: CommandContext,
  { list }: ScanRecord,
  { counts, endedAt, startedAt }: ScanOutcome,
  most: 'listed' | 'shown',
): Promise<FoundChanges> {
  const monitors = new Set(await new MonitorListRepository(store).ids(list));
  const files: ReviewedFile[] = [];
  for await (const file of new ChangeQueries(store).files({ since: startedAt })) {
    if (file.stored.seenAt > endedAt || files.length === bounds[most]) break;
    if (monitors.has(file.stored.monitorId)) files.push(file);
  }
  return { files, total: Math.max(counts.stored, files.length) };
}

const bounds = { listed: mostListed, shown: mostShown };

/** For `--json`. */
export function sweptDocument(ctx: CommandContext, { files, total }: FoundChanges): SweptChanges {
  const rows = files.map((file) => changeDocument(recordOf(ctx, file), file.stored.answer));
  return { total, rows };
}

/** For a terminal: each change with old and new values. @param all the command that lists all of them */
export function sweptLines(
  ctx: CommandContext,
  { files, total }: FoundChanges,
  all: string,
): string[] {
  if (total === 0) return [];
  const { reader } = ctx;
  const { count, say } = reader;
  const changes = count(total, ['change', 'changes'], ['alteração', 'alterações']);
  const width = process.stdout.columns ?? 80;
  const more = total - files.length;
  return [
    `  ${changes}, ${say('with what was -> what is', 'com o que era -> o que é')}:`,
    ...files.flatMap((file) => changeLines(recordOf(ctx, file), file.stored.answer, width, reader)),
    ...(more > 0
      ? [`  ${say(`and ${more} more`, `e mais ${more}`)}: \`diligence monitor changes ${all}\``]
      : []),
  ];
}

function recordOf({ environment }: CommandContext, file: ReviewedFile): ChangeRecord {
  const required = environment.monitorSinks.sinks.filter((sink) => sink.required);
  return changeRecord(
    file,
    required.map(({ name }) => name),
  );
}
