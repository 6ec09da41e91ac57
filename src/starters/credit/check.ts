import { worstLevel, type Finding, type FindingLevel } from '../../domain/cnab/finding';
import { type CheckedInput, type CheckedInvoices } from '../../receivables/check-input';
import type { ScannedFile } from '../../receivables/scan-file';
import { counted } from '../jobs/text';

/** What a local scan found, in words and as a document. */

export function mayBeSent(worst: FindingLevel | null): boolean {
  return worst === null || worst === 'warn';
}

/** Due dates are those of banks in Brazil, wherever this runs. */
export function todayInBrazil(now: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' }).format(now);
}

export function checkDocument(
  file: string,
  xmls: string | null,
  { cnab, invoices, worst }: CheckedInput,
  exitCode: number,
): Record<string, unknown> {
  return {
    file,
    xmls,
    worst,
    layout: cnab.layout,
    records: cnab.records,
    receivables: cnab.receivables,
    totalValue: money(cnab.totalCents),
    valued: cnab.valued,
    withInvoiceKey: cnab.withInvoiceKey,
    dueFrom: cnab.dueFrom,
    dueTo: cnab.dueTo,
    widths: cnab.widths,
    lineEnds: cnab.lineEnds,
    bytes: cnab.bytes,
    sha256: cnab.sha256,
    header: cnab.header,
    findings: cnab.findings,
    counts: cnab.counts,
    invoices,
    exitCode,
  };
}

/**
 * @param names whether who the file is of is told: on standard output alone
 * @param forced why a person has it sent all the same; null when nobody does
 */
export function checkLines(
  file: string,
  xmls: string | null,
  { cnab, invoices, worst }: CheckedInput,
  names: 'with names' | 'without names',
  forced: string | null = null,
): string[] {
  return [
    ...findingLines(file, file, cnab),
    ...(invoices === null ? [] : findingLines(file, xmls ?? '', invoices)),
    ...cnabSummary(file, cnab),
    ...(names === 'with names' ? headerLines(cnab) : []),
    ...(invoices === null ? [] : [invoiceSummary(xmls ?? '', invoices, cnab)]),
    verdict(worst, forced),
  ];
}

type Found = Pick<ScannedFile, 'findings' | 'counts'> | CheckedInvoices;

/** @param cnab the file whose lines are meant where a finding names a line */
export function findingLines(cnab: string, file: string, { findings, counts }: Found): string[] {
  const lines = findings.map((finding: Finding) =>
    findingLine(finding.line === null ? file : cnab, finding),
  );
  for (const [code, count] of Object.entries(counts)) {
    const reported = findings.filter((finding) => finding.code === code).length;
    if (count > reported) lines.push(`${file}: and ${count - reported} more of ${code}`);
  }
  return lines;
}

const levelWords: Record<FindingLevel, string> = {
  block: 'refused',
  override: 'refused unless forced',
  warn: 'warning',
};

function findingLine(file: string, finding: Finding): string {
  const { line, columns, entry, found, expected, sentence, level, code } = finding;
  const location = [
    ...(line === null ? [] : [`line ${line}`]),
    ...(columns === null ? [] : [columnWords(columns)]),
    ...(entry === null ? [] : [`entry ${entry}`]),
  ].join(', ');
  const where = location === '' ? file : `${file}: ${location}`;
  return `${where}: ${levelWords[level]} (${code}): found ${found}, expected ${expected}. ${sentence}`;
}

function columnWords([from, to]: readonly [number, number]): string {
  return from === to ? `column ${from}` : `columns ${from}-${to}`;
}

function cnabSummary(file: string, cnab: ScannedFile): string[] {
  const { layout, receivables, records, valued, dueFrom, dueTo } = cnab;
  const due = dueFrom === null ? '' : `, due ${dueFrom} to ${dueTo}`;
  const inValue = valued === receivables ? '' : ` (of the ${valued} whose value can be read)`;
  const widths = Object.entries(cnab.widths).map(
    ([width, count]) => `${count} of ${width} columns`,
  );
  const ends = Object.entries(cnab.lineEnds).filter(([, count]) => count > 0);
  const endWords = ends.map(([end]) => end.toUpperCase()).join(' and ') || 'no line end';
  return [
    `${file}: ${layout ?? 'no layout known'}; ${counted(receivables, 'receivable')}, BRL ${money(cnab.totalCents)}${inValue}${due}`,
    `  ${counted(records, 'record')}${widths.length === 0 ? '' : ` (${widths.join(', ')})`}, ${endWords}, ${cnab.bytes} bytes, sha256 ${cnab.sha256}`,
  ];
}

function headerLines({ header }: ScannedFile): string[] {
  if (header === null) return [];
  const number = header.fileNumber === null ? '' : `, file ${header.fileNumber}`;
  const written = header.writtenOn === null ? '' : `, written ${header.writtenOn}`;
  return [`  header: ${printable(header.companyName) || 'no company name'}${written}${number}`];
}

function invoiceSummary(file: string, { entries, invoices }: CheckedInvoices, cnab: ScannedFile) {
  const match =
    cnab.withInvoiceKey === 0
      ? '; the CNAB file names no NF-e, so that nothing can be matched here'
      : `; ${counted(cnab.withInvoiceKey, 'receivable')} with an NF-e key`;
  return `${file}: ${invoices} NF-e in ${counted(entries, 'entry', 'entries')}${match}`;
}

/** One line for a file that may be sent: what it is, and how often it is warned of what. */
export function briefLine(file: string, { cnab, invoices }: CheckedInput): string {
  const warnings = Object.entries({ ...cnab.counts, ...invoices?.counts });
  const reported = warnings.map(([code, count]) => `${code} (${count})`).join(', ');
  const [about = file] = cnabSummary(file, cnab);
  return reported === '' ? about : `${about}; warnings: ${reported}`;
}

/** Where the finding stands that has a file refused, and its code; empty when none does. */
export function refusalWords({ cnab, invoices }: CheckedInput): string {
  const found: Finding[] = [...cnab.findings, ...(invoices?.findings ?? [])];
  const worst = worstLevel(found);
  const first = found.find(({ level }) => level === worst && !mayBeSent(level));
  if (first === undefined) return '';
  const position = first.entry === null ? 'the file' : 'the ZIP';
  return `${first.line === null ? position : `line ${first.line}`}: ${first.code}`;
}

function verdict(worst: FindingLevel | null, forced: string | null): string {
  if (worst === 'block') return 'It will not be sent: mend what is refused.';
  if (worst === 'override' && forced !== null) return `Sent although refused: ${forced}`;
  if (worst === 'override') {
    return 'It will not be sent as it is: mend what is refused, or `credit analyze --force REASON`, which keeps the reason on record.';
  }
  return worst === 'warn' ? 'It may be sent; see the warnings.' : 'It may be sent.';
}

export function money(totalCents: bigint): string {
  const digits = String(totalCents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** A terminal is told nothing that it would obey. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e\xa1-\xff]/g, '?');
}
