import { maskDocument } from '../../domain/core/documents/documents';
import { readFindings } from '../../domain/core/findings';
import {
  extractSubject,
  type ExtractOutcome,
  type ExtractRecord,
} from '../../domain/extracts/extract';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { singleKind } from '../jobs/single-kind';

const file = 'extract.json';

export const extractKind = singleKind<ExtractRecord, ExtractOutcome>({
  kind: 'extract',
  noun: ['extract of', 'extrato de'],
  describe: ({ document }) => maskDocument(document),
  facts: ({ extractId }) => [[['extract', 'extrato'], extractId]],
  answer: {
    file,
    sha256: ({ sha256 }) => sha256,
    findings: (answer) => readFindings(answer, { file }),
  },
  subject: (_, { input }) => extractSubject(input.name),
});

export const extractBatchKind = jobBatchKind({
  child: extractKind,
  noun: ['extracts', 'extratos'],
  columns: { extract_id: ({ extractId }) => extractId, sha256: ({ sha256 }) => sha256 },
});
