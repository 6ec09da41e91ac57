import type { Cell } from '../../domain/core/findings';
import type { Change } from '../../domain/monitors/change';
import { changeRecord, type ChangeRecord } from '../../domain/monitors/change-record';
import { differencesIn } from '../../domain/monitors/differences';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { ChangeQueries, type ReviewedFile } from '../../store/monitors/change-queries';
import { monitorRecords, type MonitorRecords } from '../../store/monitors/records';
import type { CommandContext } from '../jobs/context';
import { cut, printable } from '../jobs/text';

/** A change as `--json` prints it: its status, and the service's fields as received. */
export type ChangeDocument = ChangeRecord & { change: unknown };

export interface ChangeFlags {
  since?: string;
  monitor?: string[];
  severity?: Change['severity'][];
}

export const changeForms = [
  ['change', 'changes'],
  ['alteração', 'alterações'],
] as const;

export function recordsOf({
  idKey,
  store,
}: Pick<CommandContext, 'store' | 'idKey'>): MonitorRecords {
  return monitorRecords(store, (text) => idKey.nameOf('document', text));
}

/** Names of the sinks for which an acknowledgement waits. */
export function requiredSinks({ monitorSinks }: CommandContext['environment']): string[] {
  return monitorSinks.sinks.flatMap(({ name, required }) => (required ? [name] : []));
}

export function changeDocument(
  { environment }: Pick<CommandContext, 'environment'>,
  file: ReviewedFile,
): ChangeDocument {
  return { ...changeRecord(file, requiredSinks(environment)), change: file.stored.answer };
}

export async function* changesOnRecord(
  ctx: CommandContext,
  { since, monitor, severity }: ChangeFlags,
): AsyncGenerator<ChangeDocument> {
  const filter = { since: since ?? null, monitors: monitor, severities: severity };
  for await (const file of new ChangeQueries(ctx.store).files(filter))
    yield changeDocument(ctx, file);
}

/** A change for a terminal: id, type and status, then each differing field, before and after. */
export function changeLines(
  one: ChangeDocument,
  { formats, language, say }: Reader,
  width = process.stdout.columns ?? 80,
): string[] {
  // A narrow terminal cuts off the instant, not the id.
  const instant = one.detected_at ?? one.seen_at;
  const when = say(instant.slice(0, 16), formats.instant(instant));
  const [severity, status] = [one.severity, one.status].map((word) => stateWord(word, language));
  const head = [one.change_id, severity, one.type ?? '-', status, when].join('  ');
  const fields = one.erased ? [] : differencesIn(one.change);
  const longest = Math.min(24, Math.max(0, ...fields.map(({ field }) => field.length)));
  const room = Math.max(8, Math.floor((width - longest - 8) / 2));
  const lines = fields.map(({ after, before, field }) => {
    const name = printable(field).padEnd(longest);
    return `  ${name}  ${cut(textOf(before), room)} -> ${cut(textOf(after), room)}`;
  });
  return [printable(head), ...lines].map((line) => cut(line, width));
}

function textOf(cell: Cell | undefined): string {
  return cell === undefined || cell === null ? '-' : printable(String(cell));
}
