import { isUuid } from '../../domain/core/uuid';
import { type DossierRecord, type ReviewPolicy } from '../../domain/dossiers/follow';
import type { PlannedRetry, RetryPlan } from '../../domain/dossiers/retry-plan';
import { onlyCell, type FilledRow, type RowReading } from '../../sheets/read/plan-rows';
import { DossierRepository } from '../../store/dossiers/dossiers';
import { ofFile, type BatchRequest, type ExistingJob } from '../jobs/batches/request';
import { listedRows } from '../jobs/batches/listed-rows';
import type { CommandContext } from '../jobs/context';

type Terms = Pick<DossierRecord, 'maxAttempts' | 'onReview'>;

/** Follows each different dossier of a sheet to its end. */
export function followBatch(
  ctx: CommandContext,
  request: Terms & Parameters<typeof ofFile>[0],
): BatchRequest {
  const { maxAttempts, onReview } = request;
  const terms = { maxAttempts, onReview };
  return {
    kind: 'dossier-batch',
    ...ofFile(request, 'dossiers', readRow),
    terms: ['follow', maxAttempts, onReview],
    existing: (dossierId) => existingDossier(ctx, dossierId, terms, { atOnce: false }),
    put: async (dossierId) => followed(ctx, dossierId, terms, { atOnce: false }),
  };
}

/**
 * Retries each failed dossier.
 *
 * @param plan finds them
 * @param words the request: an open batch of the same request is resumed, whatever failed since
 */
export function retryBatch(
  ctx: CommandContext,
  request: { label: string | null; onReview: ReviewPolicy; words: readonly unknown[] },
  plan: () => Promise<RetryPlan>,
): BatchRequest {
  const { label, onReview, words } = request;
  const planned = new Map<string, PlannedRetry>();
  const boundOf = (dossierId: string): Terms => {
    const from = planned.get(dossierId)?.from ?? 1;
    return { maxAttempts: from + 1, onReview };
  };
  return {
    kind: 'dossier-batch',
    label,
    rerun: true,
    terms: ['retry-failed', ...words],
    inputName: 'failed dossiers',
    inputPath: null,
    isListed: true,
    rows: () => {
      const left: Record<string, number> = {};
      const rows = listedRows('dossier', async () => {
        const found = await plan();
        Object.assign(left, found.left);
        return found.dossiers.map((one) => {
          planned.set(one.dossierId, one);
          return { document: one.dossierId, key: one.dossierId };
        });
      });
      return { ...rows, left };
    },
    existing: (dossierId) => existingDossier(ctx, dossierId, boundOf(dossierId), { atOnce: true }),
    put: async (dossierId) => followed(ctx, dossierId, boundOf(dossierId), { atOnce: true }),
    foresight: () => ({
      add: async () => undefined,
      lines: () =>
        [...planned.values()].map((one) => `  ${one.dossierId}  attempt ${one.from + 1}`),
    }),
  };
}

function readRow({ documents }: FilledRow): RowReading<string> {
  const type = 'dossier';
  const cell = onlyCell(documents, 'an id');
  if (cell !== null && 'code' in cell) return { kind: 'invalid', type, ...cell };
  const text = cell?.text.trim().toLowerCase() ?? '';
  if (isUuid(text)) return { kind: 'item', type, document: text, note: '' };
  const message = 'Expected the id of a dossier, a UUID.';
  return { kind: 'invalid', type, code: text === '' ? 'empty' : 'wrong_shape', message };
}

/** An open one of the same terms is resumed; completed results are in the store. */
async function existingDossier(
  { store }: CommandContext,
  dossierId: string,
  { maxAttempts, onReview }: Terms,
  how: { atOnce: boolean },
): Promise<ExistingJob | null> {
  const file = new DossierRepository(store);
  const [newest] = await file.all(dossierId);
  if (newest === undefined || newest.record.toCancel) return null;
  const { record } = newest;
  const { jobId } = record;
  const outcome = await file.outcome(newest.folder);
  const isSame = record.maxAttempts === maxAttempts && record.onReview === onReview;
  if (outcome === null) {
    return isSame ? { jobId, ended: false, terms: termsOf(record, how) } : null;
  }
  const isAnswer = outcome.status === 'completed' && outcome.erased !== true;
  return isAnswer ? { jobId, ended: true, terms: {} } : null;
}

/** The record is stored at the start: a job that never started would be shown as interrupted. */
function followed(
  { environment }: CommandContext,
  dossierId: string,
  terms: Terms,
  how: { atOnce: boolean },
): { jobId: string; terms: Record<string, unknown> } {
  const createdAt = new Date().toISOString();
  const jobId = `dossier/${dossierId}/${createdAt.replace(/[-:.]/g, '')}`;
  const createdBy = environment.actor;
  const record = { jobId, dossierId, ...terms, toCancel: false, createdAt, createdBy };
  return { jobId: jobId, terms: termsOf(record, how) };
}

function termsOf(record: DossierRecord, { atOnce }: { atOnce: boolean }): Record<string, unknown> {
  const { maxAttempts, onReview } = record;
  return { record, maxAttempts, onReview, toCancel: false, atOnce };
}
