import type { Attempt, Claim, Receipt, Resolution } from '../../domain/core/service/attempts';
import { rowName } from '../sealed/seal';
import type { SealedDatabase } from '../sealed/sealed-database';
import { sql } from '../statement';

interface AttemptRow extends Omit<Claim, 'owner' | 'afterUnknown'> {
  n: number;
  workflowId: string;
  chunk: string;
  afterUnknown: number;
  receipt: Receipt['kind'] | null;
  receiptAt: number | null;
  externalId: string | null;
  why: Uint8Array | null;
}

/** A resolution of attempt `n`: a person may change it, and the last `number` counts. */
export interface NumberedResolution {
  n: number;
  number: number;
  resolution: Resolution;
}

/** All attempts of a subject, in order. */
export async function attemptsOf(store: SealedDatabase, subject: string): Promise<Attempt[]> {
  const rows = await store.read<AttemptRow>(sql`
    SELECT n, kind, nonce, workflow_id AS "workflowId", chunk, answer_by AS "answerBy",
      claimed_at AS "claimedAt", after_unknown AS "afterUnknown", receipt,
      receipt_at AS "receiptAt", external_id AS "externalId", why
    FROM attempt WHERE subject = ${subject} ORDER BY n`);
  if (rows.length === 0) return [];
  const resolutions = await resolutionsOf(store, subject);
  return rows.map((row) => {
    const { n, workflowId, chunk, kind, nonce, answerBy, claimedAt } = row;
    const afterUnknown = row.afterUnknown === 1;
    return {
      n,
      claim: { owner: { workflowId, chunk }, kind, nonce, answerBy, claimedAt, afterUnknown },
      receipt: receiptOf(store, subject, row),
      resolution: resolutions.findLast((one) => one.n === n)?.resolution ?? null,
    };
  });
}

function receiptOf(store: SealedDatabase, subject: string, row: AttemptRow): Receipt | null {
  const { n, receipt: kind, receiptAt: at, externalId, why } = row;
  if (kind === null || at === null) return null;
  const body = why && (store.opened(rowName('attempt', subject, n), why) as object);
  if (kind !== 'accepted') return { kind, at, ...body } as Receipt;
  return { kind, externalId: externalId ?? '', at, ...(body !== null && { reported: body }) };
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

/** Of all attempts of a subject, in order. */
export async function resolutionsOf(
  store: SealedDatabase,
  subject: string,
): Promise<NumberedResolution[]> {
  type Row = Omit<NumberedResolution & Resolution, 'resolution'> & { said: Uint8Array };
  const rows = await store.read<Row>(sql`
    SELECT n, number, action, external_id AS "externalId", at, said
    FROM resolution WHERE subject = ${subject} ORDER BY n, number`);
  return rows.map(({ n, number, said, ...row }) => {
    const opened = store.opened(rowName('resolution', subject, n, number), said);
    return { n, number, resolution: { ...row, ...(opened as Pick<Resolution, 'by' | 'note'>) } };
  });
}
