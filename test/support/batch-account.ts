import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Received, Sandbox } from '../../src/sandbox';
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
  onUnknown: 'report' | 'reissue' = 'report',
): Promise<string[]> {
  const found: string[] = [];
  const lostOf = new Map<string, number>();
  const retryableOf = new Map<string, number>();
  const key = (type: string, document: string): string => `${type} ${document}`;
  for (const { subject: document, variant: tipo, fault, abandoned } of postsOf(sandbox)) {
    const isLost = abandoned || (fault !== null && answerLost.has(fault));
    if (document === null || !isLost) continue;
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
    const lostAnswers = lostOf.get(name) ?? 0;
    const reissued = onUnknown === 'reissue' && line.possible_double_charge === 'true';
    const allowed = 1 + (retryableOf.get(name) ?? 0) + (reissued ? 1 : 0);
    const started = startedOf.get(name) ?? 0;
    if (started > allowed)
      found.push(`${where}: ${started} issuances started, ${allowed} explained`);
    if (started > 1 && Number(line.attempts) < started) found.push(`${where}: attempts hide some`);
    const lost = lostAnswers > 0;
    const isUnknown = line.status === 'unknown_outcome';
    if (isUnknown && !lost) found.push(`${where}: answer was not lost`);
    if (!isUnknown && lost && !reissued) found.push(`${where}: answer was lost`);
    if (line.status === 'issued' && line.pdf !== '') {
      const pdf = await readFile(join(folder, line.pdf));
      const sum = createHash('sha256').update(pdf).digest('hex');
      if (sum !== line.sha256) found.push(`${where}: sha256 of the PDF differs`);
      if (!pdf.includes('%PDF-')) found.push(`${where}: not a PDF`);
    }
  }
  return found;
}

/** What contradicts the sheet, sorted by whether the death of a process explains it. */
export function explainedByDeath(found: readonly string[]): { died: string[]; wrong: string[] } {
  const isDeath = (one: string): boolean => one.endsWith('(unknown_outcome): answer was not lost');
  return { died: found.filter(isDeath), wrong: found.filter((one) => !isDeath(one)) };
}

/** Requests for certificates that arrived, in order. */
export function postsOf(sandbox: Sandbox): Received[] {
  return sandbox.received().filter(({ method }) => method === 'POST');
}

/** The service has begun what was asked and its answer is still to come. */
export function isInFlight({ accepted, status, abandoned }: Received): boolean {
  return accepted && status === null && !abandoned;
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
