import { mkdir } from 'node:fs/promises';
import { maskDocument } from '../../domain/core/documents/documents';
import {
  extractSubject,
  type ExtractOutcome,
  type ExtractRecord,
} from '../../domain/extracts/extract';
import { ExtractRepository } from '../../store/extracts/extracts';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import type { JobKind } from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { writeWhole } from '../jobs/written-file';

const file = 'extract.json';

export const extractKind: JobKind<ExtractRecord, ExtractOutcome> = {
  kind: 'extract',
  prefix: 'extract/',
  noun: ['extract of', 'extrato de'],
  service: 'investigation',
  workflowId: ({ name }) => `extract/${name}`,
  describe: ({ document }) => maskDocument(document),
  terms: ({ deadlineMs, label }) => ({ deadline: deadlineMs, label }),
  readProgress: progressOfOne,
  lines: ({ outcome: { extractId, status } }) => [status, `  extract ${extractId ?? '-'}`],
  report: async ({ store }, { folder, outcome }) => {
    const answer = await new ExtractRepository(store).answer(folder);
    return { ...outcome, result: answer && (JSON.parse(answer.toString('utf8')) as unknown) };
  },
  artifacts: ({ outcome: { sha256 } }) =>
    sha256 === null ? [] : [{ name: file, bytes: null, sha256, mediaType: 'application/json' }],
  cost: () => [],
  heeds: [],
  export: async ({ store }, { folder: from }, folder) => {
    const answer = await new ExtractRepository(store).answer(from);
    if (answer === null) return [];
    await mkdir(folder, { recursive: true });
    await writeWhole(folder, file, answer);
    return [file];
  },
  workflow: 'requestExtract',
  args: () => ({ interactive: true }),
  subject: (_, { input }) => extractSubject(input.name),
  orders: ['cancel', 'cancel_now'],
};

export const extractBatchKind = jobBatchKind({
  kind: 'extract-batch',
  service: 'investigation',
  child: extractKind,
  noun: ['extracts', 'extratos'],
  unstarted: 'lost',
  columns: ['extract_id', 'sha256'],
  shown: ({ extractId: extract_id, sha256 }) => ({ cells: { extract_id, sha256 } }),
  answer: (store, { folder }) => new ExtractRepository(store).answer(folder),
});
