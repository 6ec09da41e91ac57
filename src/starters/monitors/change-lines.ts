import type { Cell } from '../../domain/core/findings';
import type { ChangeRecord } from '../../domain/monitors/change-record';
import { differencesIn } from '../../domain/monitors/differences';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { cut, printable } from '../jobs/text';

/** A change as `--json` prints it: its status, and the service's fields as received. */
export type ChangeDocument = ChangeRecord & { change: unknown };

export function changeDocument(record: ChangeRecord, answer: unknown): ChangeDocument {
  return { ...record, change: answer };
}

/** A change for a terminal: id, type and status, then each differing field, before and after. */
export function changeLines(
  record: ChangeRecord,
  answer: unknown,
  width: number,
  { formats, language, say }: Reader,
): string[] {
  const {
    change_id: id,
    detected_at: at,
    erased,
    seen_at: seenAt,
    severity,
    status,
    type,
  } = record;
  // A narrow terminal cuts off the instant, not the id.
  const instant = at ?? seenAt;
  const when = say(instant.slice(0, 16), formats.instant(instant));
  const words = [severity, status].map((word) => stateWord(word, language));
  const head = [id, words[0], type ?? '-', words[1], when];
  const fields = erased ? [] : differencesIn(answer);
  const longest = Math.min(24, Math.max(0, ...fields.map(({ field }) => field.length)));
  const room = Math.max(8, Math.floor((width - longest - 8) / 2));
  const lines = fields.map(({ after, before, field }) => {
    const name = printable(field).padEnd(longest);
    return `  ${name}  ${cut(textOf(before), room)} -> ${cut(textOf(after), room)}`;
  });
  return [printable(head.join('  ')), ...lines].map((line) => cut(line, width));
}

function textOf(cell: Cell | undefined): string {
  return cell === undefined || cell === null ? '-' : printable(String(cell));
}
