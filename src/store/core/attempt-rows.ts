import type { Attempt, Claim, Receipt } from '../../domain/core/service/attempts';
import { rowName } from '../sealed/seal';
import type { SealedDatabase } from '../sealed/sealed-database';
import { statement } from '../statement';
import { resolutionsOf } from './jobs/resolutions';

interface AttemptRow {
  n: number;
  kind: Claim['kind'];
  nonce: string;
  workflowId: string;
  chunk: string;
  answerBy: number;
  claimedAt: number;
  afterUnknown: number;
  receipt: Receipt['kind'] | null;
  receiptAt: number | null;
  externalId: string | null;
  why: Uint8Array | null;
}

/** All attempts of a subject, in order. */
export async function attemptsOf(store: SealedDatabase, subject: string): Promise<Attempt[]> {
  const rows = await store.read<AttemptRow>(
    statement(
      `SELECT n, kind, nonce, workflow_id AS "workflowId", chunk, answer_by AS "answerBy",
              claimed_at AS "claimedAt", after_unknown AS "afterUnknown", receipt,
              receipt_at AS "receiptAt", external_id AS "externalId", why
       FROM attempt WHERE subject = ? ORDER BY n`,
      [subject],
    ),
  );
  if (rows.length === 0) return [];
  const resolutions = await resolutionsOf(store, subject);
  return rows.map((row) => ({
    n: row.n,
    claim: claimOf(row),
    receipt: receiptOf(store, subject, row),
    resolution: resolutions.findLast(({ n }) => n === row.n)?.resolution ?? null,
  }));
}

function receiptOf(store: SealedDatabase, subject: string, row: AttemptRow): Receipt | null {
  const { n, receipt: kind, receiptAt: at, externalId, why } = row;
  if (kind === null || at === null) return null;
  const body = why && (store.opened(rowName('attempt', subject, n), why) as object);
  if (kind !== 'accepted') return { kind, at, ...body } as Receipt;
  return { kind, externalId: externalId ?? '', at, ...(body !== null && { reported: body }) };
}

function claimOf(row: AttemptRow): Claim {
  const { kind, nonce, workflowId, chunk, answerBy, claimedAt, afterUnknown } = row;
  const owner = { workflowId, chunk: chunk };
  return { owner, kind, nonce, answerBy, claimedAt, afterUnknown: afterUnknown === 1 };
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
