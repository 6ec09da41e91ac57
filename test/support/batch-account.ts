import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import type { SheetLine } from './diligence-process';

/** Faults after which the client cannot know whether its request was accepted. */
export const answerLost = new Set([
  '503_bare',
  '500_html',
  '500_html_after',
  '502',
  '504_after',
  'reset_before',
  'reset_after',
  'cut_answer',
  'no_answer',
  'no_answer_before',
  'redirect',
  'unreadable_2xx',
  'missing_id',
]);

const typeOf = (tipo: string | null): string => (tipo === 'cndt' ? 'trabalhista' : (tipo ?? ''));

/**
 * What the sandbox saw, against what the sheet says. Returns every contradiction as a sentence, so
 * that a failing test tells them all.
 */
export async function contradictions(
  sandbox: Sandbox,
  lines: readonly SheetLine[],
  folder: string,
): Promise<string[]> {
  const found: string[] = [];
  const lostOf = new Map<string, number>();
  const retryableOf = new Map<string, number>();
  const key = (type: string, document: string): string => `${type} ${document}`;
  for (const { method, document, tipo, fault } of sandbox.received()) {
    if (method !== 'POST' || document === null || fault === null || !answerLost.has(fault))
      continue;
    const name = key(typeOf(tipo), document);
    lostOf.set(name, (lostOf.get(name) ?? 0) + 1);
  }
  for (const { document, certificate } of sandbox.state().certificates) {
    const { error, tipo } = certificate as { error?: { retryable?: boolean }; tipo?: string };
    if (error?.retryable !== true) continue;
    const name = key(typeOf(tipo ?? null), document);
    retryableOf.set(name, (retryableOf.get(name) ?? 0) + 1);
  }
  const startedOf = new Map(
    sandbox.counts().map(({ document, tipo, started }) => [key(typeOf(tipo), document), started]),
  );
  for (const line of lines) {
    const name = key(line.type, line.document);
    const where = `line ${line.line} (${line.status})`;
    const allowed = 1 + (retryableOf.get(name) ?? 0);
    const started = startedOf.get(name) ?? 0;
    if (started > allowed)
      found.push(`${where}: ${started} issuances started, ${allowed} explained`);
    if (started > 1 && Number(line.attempts) < started) found.push(`${where}: attempts hide some`);
    const lost = (lostOf.get(name) ?? 0) > 0;
    if (lost !== (line.status === 'unknown_outcome')) {
      found.push(`${where}: answer ${lost ? 'was lost' : 'was not lost'}`);
    }
    if (line.status === 'issued' && line.pdf !== '') {
      const pdf = await readFile(join(folder, line.pdf));
      const sum = createHash('sha256').update(pdf).digest('hex');
      if (sum !== line.sha256) found.push(`${where}: sha256 of the PDF differs`);
      if (!pdf.includes('%PDF-')) found.push(`${where}: not a PDF`);
    }
  }
  return found;
}

/** Every kind of trouble that may strike in the background; slow ones end within the time-out. */
export const everyFault = [
  ...answerLost,
  '429',
  '503',
  { kind: 'slow', delayMs: 800 },
  'extra_fields',
  'unknown_status',
  { kind: 'slow_pdf', delayMs: 800 },
  'wrong_sha256',
  'not_a_pdf',
  'empty_pdf',
  '400_refused',
  'failure_retryable',
  'failure_permanent',
  'divergente',
  'no_evidence',
  'no_sha256',
  'links_only',
];
