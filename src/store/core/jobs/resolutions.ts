import type { Resolution } from '../../../domain/core/service/attempts';
import { Sealed, rowName } from '../../sealed/seal';
import type { SealedDatabase } from '../../sealed/sealed-database';
import { insertInto, statement } from '../../statement';

interface ResolutionRow {
  n: number;
  number: number;
  action: Resolution['action'];
  externalId: string | null;
  at: number;
  said: Uint8Array;
}

const columns = ['subject', 'n', 'number', 'action', 'external_id', 'at', 'said'];

/** A person may change the resolution of an attempt: they are numbered, and the last one counts. */
export async function putResolution(
  store: SealedDatabase,
  subject: string,
  n: number,
  resolution: Resolution,
): Promise<void> {
  const { action, externalId, by, note, at } = resolution;
  for (;;) {
    const earlier = (await resolutionsOf(store, subject)).filter((one) => one.n === n);
    // A repeated try of the same resolution.
    if (earlier.some((one) => isSame(one.resolution, resolution))) return;
    const number = (earlier.at(-1)?.number ?? 0) + 1;
    const said = new Sealed(rowName('resolution', subject, n, number), { by, note });
    const [inserted] = await store.commit([
      insertInto('resolution', columns, [[subject, n, number, action, externalId, at, said]]),
      statement('UPDATE attempt SET is_resolved = 1 WHERE subject = ? AND n = ?', [subject, n]),
    ]);
    if (inserted?.changes === 1) return;
  }
}

/** Of all attempts of a subject, in order. */
export async function resolutionsOf(
  store: SealedDatabase,
  subject: string,
): Promise<{ n: number; number: number; resolution: Resolution }[]> {
  const rows = await store.read<ResolutionRow>(
    statement(
      `SELECT n, number, action, external_id AS "externalId", at, said
       FROM resolution WHERE subject = ? ORDER BY n, number`,
      [subject],
    ),
  );
  return rows.map(({ n, number, action, externalId, at, said }) => {
    const opened = store.opened(rowName('resolution', subject, n, number), said);
    const { by, note } = opened as { by: string; note: string };
    return { n, number, resolution: { action, externalId, by, note, at } };
  });
}

function isSame(a: Resolution, b: Resolution): boolean {
  return a.action === b.action && a.by === b.by && a.note === b.note && a.at === b.at;
}
