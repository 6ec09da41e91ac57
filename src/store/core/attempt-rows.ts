import type { Attempt, Claim, Receipt, Resolution } from '../../domain/core/service/attempts';
import type { SealedDatabase } from '../sealed/sealed-database';
import { sql } from '../statement';

type AttemptRow = Omit<Claim, 'owner'> &
  Claim['owner'] & {
    n: number;
    receipt: Receipt['kind'] | null;
    receiptAt: number | null;
    externalId: string | null;
    why: object | null;
  };

/** A resolution of attempt `n`: a person may change it, and the last `number` counts. */
export interface NumberedResolution {
  n: number;
  number: number;
  resolution: Resolution;
}

export async function attemptsOf(store: SealedDatabase, subject: string): Promise<Attempt[]> {
  const rows = await store.select<AttemptRow>(
    'attempt',
    sql`WHERE subject = ${subject} ORDER BY n`,
  );
  if (rows.length === 0) return [];
  const resolutions = await resolutionsOf(store, subject);
  return rows.map((row) => {
    const { n, workflowId, chunk, kind, nonce, answerBy, claimedAt, afterUnknown } = row;
    return {
      n,
      claim: { owner: { workflowId, chunk }, kind, nonce, answerBy, claimedAt, afterUnknown },
      receipt: receiptOf(row),
      resolution: resolutions.findLast((one) => one.n === n)?.resolution ?? null,
    };
  });
}

function receiptOf({ externalId, receipt: kind, receiptAt: at, why }: AttemptRow): Receipt | null {
  if (kind === null || at === null) return null;
  if (kind !== 'accepted') return { kind, at, ...why } as Receipt;
  return { kind, externalId: externalId ?? '', at, ...(why !== null && { reported: why }) };
}

/** Error messages and codes of the service, and the stored part of a response: they may quote. */
export function whyOf(receipt: Receipt): object | null {
  switch (receipt.kind) {
    case 'accepted':
      return receipt.reported ?? null;
    case 'refused':
      return { status: receipt.status, code: receipt.code };
    case 'not_sent':
    case 'unknown':
      return { reason: receipt.reason };
  }
}

export async function resolutionsOf(
  store: SealedDatabase,
  subject: string,
): Promise<NumberedResolution[]> {
  const rows = await store.select<
    Omit<Resolution, 'by' | 'note'> & { n: number; number: number; said: object }
  >('resolution', sql`WHERE subject = ${subject} ORDER BY n, number`);
  return rows.map(({ n, number, said, action, externalId, at }) => {
    return { n, number, resolution: { action, externalId, at, ...said } as Resolution };
  });
}
