import { worstLevel, type Finding, type FindingLevel } from '../../domain/cnab/finding';
import { type CheckedInput, type CheckedInvoices } from '../../receivables/check-input';
import type { ScannedFile } from '../../receivables/scan-file';
import type { Words } from '../../domain/job';
import type { Reader } from '../../report/reader';
import { printable } from '../jobs/text';

export function mayBeSent(worst: FindingLevel | null): boolean {
  return worst === null || worst === 'warn';
}

/** Due dates are those of Brazilian banks, whatever the time zone of this machine. */
export function todayInBrazil(now: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' }).format(now);
}

/** For `--json`: sentences in English. */
export function checkDocument(
  file: string,
  xmls: string | null,
  { cnab, invoices, worst }: CheckedInput,
  exitCode: number,
): Record<string, unknown> {
  const { totalCents, ...scanned } = cnab;
  return {
    file,
    xmls,
    worst,
    ...scanned,
    totalValue: money(totalCents),
    findings: inEnglish(cnab.findings),
    invoices: invoices && { ...invoices, findings: inEnglish(invoices.findings) },
    exitCode,
  };
}

function inEnglish(findings: readonly Finding[]): Omit<Finding, 'portuguese'>[] {
  return findings.map((found) => {
    const { portuguese: _, ...finding } = found;
    return finding;
  });
}

/** @param forced the reason why a person sends it all the same */
export function checkLines(
  file: string,
  xmls: string | null,
  { cnab, invoices, worst }: CheckedInput,
  reader: Reader,
  forced?: string,
): string[] {
  return [
    ...findingLines(file, file, cnab, reader),
    ...(invoices === null ? [] : findingLines(file, xmls ?? '', invoices, reader)),
    cnabSummary(file, cnab, reader),
    ...(invoices === null ? [] : [invoiceSummary(xmls ?? '', invoices, cnab, reader)]),
    worst === 'override' && forced !== undefined
      ? reader.say(`Sent although refused: ${forced}`, `Enviado apesar da recusa: ${forced}`)
      : reader.say(...verdicts[worst ?? 'none']),
  ];
}

/** @param cnab the file to which line numbers of findings refer */
function findingLines(
  cnab: string,
  file: string,
  { findings, counts }: Pick<ScannedFile, 'findings' | 'counts'> | CheckedInvoices,
  reader: Reader,
): string[] {
  const all: readonly Finding[] = findings;
  const lines = all.map((found) => findingLine(found.line === null ? file : cnab, found, reader));
  for (const [code, count] of Object.entries(counts)) {
    const more = count - all.filter((found) => found.code === code).length;
    const words = reader.say(`and ${more} more of ${code}`, `e mais ${more} de ${code}`);
    if (more > 0) lines.push(`${file}: ${words}`);
  }
  return lines;
}

const levelWords: Record<FindingLevel, Words> = {
  block: ['refused', 'recusado'],
  override: ['refused unless forced', 'recusado, salvo com --force'],
  warn: ['warning', 'aviso'],
};

function findingLine(file: string, finding: Finding, { language, say }: Reader): string {
  const { line, columns, entry, level, code } = finding;
  const { found, expected, sentence } = language === 'pt' ? finding.portuguese : finding;
  const position = [
    ...(line === null ? [] : [`${say('line', 'linha')} ${line}`]),
    ...(columns === null ? [] : [say(...columnWords(columns))]),
    ...(entry === null ? [] : [`${say('entry', 'entrada')} ${entry}`]),
  ].join(', ');
  const where = position === '' ? file : `${file}: ${position}`;
  const both = say(
    `found ${found}, expected ${expected}`,
    `encontrado ${found}, esperado ${expected}`,
  );
  return `${where}: ${say(...levelWords[level])} (${code}): ${both}. ${sentence}`;
}

function columnWords([from, to]: readonly [number, number]): Words {
  return from === to
    ? [`column ${from}`, `coluna ${from}`]
    : [`columns ${from}-${to}`, `colunas ${from}-${to}`];
}

function cnabSummary(file: string, cnab: ScannedFile, { count, formats, say }: Reader): string {
  const { dueFrom, dueTo, layout, receivables, records, sha256, totalCents, valued } = cnab;
  const due =
    dueFrom === null || dueTo === null
      ? ''
      : say(
          `, due ${dueFrom} to ${dueTo}`,
          `, vencimento de ${formats.day(dueFrom)} a ${formats.day(dueTo)}`,
        );
  const inValue =
    valued === receivables
      ? ''
      : say(` (of the ${valued} whose value can be read)`, ` (dos ${valued} com valor legível)`);
  const parts = [
    countOf(receivables, { count }),
    say(`BRL ${money(totalCents)}`, formats.money(Number(totalCents) / 100)) + inValue + due,
    count(records, ['record', 'records'], ['registro', 'registros']),
    `sha256 ${sha256}`,
  ];
  const name = layout ?? say('no layout known', 'layout desconhecido');
  return `${file}: ${printable(name)}; ${parts.join(', ')}`;
}

function countOf(receivables: number, { count }: Pick<Reader, 'count'>): string {
  return count(receivables, ['receivable', 'receivables'], ['recebível', 'recebíveis']);
}

function invoiceSummary(
  file: string,
  { entries, invoices }: CheckedInvoices,
  { withInvoiceKey: keys }: ScannedFile,
  { count, say }: Reader,
): string {
  const match =
    keys === 0
      ? say(
          'the CNAB file names no NF-e, so that nothing can be matched here',
          'o arquivo CNAB não indica nenhuma NF-e, e nada pode ser conferido aqui',
        )
      : `${countOf(keys, { count })} ${say('with an NF-e key', 'com chave de NF-e')}`;
  const of = count(entries, ['entry', 'entries'], ['entrada', 'entradas']);
  return `${file}: ${invoices} NF-e ${say('in', 'em')} ${of}; ${match}`;
}

/** One line for an accepted file: its type, and the count of each warning. */
export function briefLine(file: string, { cnab, invoices }: CheckedInput, reader: Reader): string {
  const warnings = Object.entries({ ...cnab.counts, ...invoices?.counts });
  const reported = warnings.map(([code, count]) => `${code} (${count})`).join(', ');
  const about = cnabSummary(file, cnab, reader);
  return reported === '' ? about : `${about}; ${reader.say('warnings', 'avisos')}: ${reported}`;
}

/** Position and code of the finding that refuses the file; empty when none does. */
export function refusalWords({ cnab, invoices }: CheckedInput): Words {
  const found: Finding[] = [...cnab.findings, ...(invoices?.findings ?? [])];
  const worst = worstLevel(found);
  const first = found.find(({ level }) => level === worst && !mayBeSent(level));
  if (first === undefined) return ['', ''];
  const { code, entry, line } = first;
  if (line !== null) return [`line ${line}: ${code}`, `linha ${line}: ${code}`];
  return entry === null
    ? [`the file: ${code}`, `o arquivo: ${code}`]
    : [`the ZIP: ${code}`, `o ZIP: ${code}`];
}

const verdicts: Record<FindingLevel | 'none', Words> = {
  block: [
    'It will not be sent: correct what is refused.',
    'Não será enviado: corrija o que foi recusado.',
  ],
  override: [
    'It will not be sent as it is: correct what is refused, or `credit analyze --force REASON`, which records the reason.',
    'Não será enviado assim: corrija o que foi recusado, ou use `credit analyze --force MOTIVO`, que registra o motivo.',
  ],
  warn: ['It may be sent; see the warnings.', 'Pode ser enviado; veja os avisos.'],
  none: ['It may be sent.', 'Pode ser enviado.'],
};

function money(totalCents: bigint): string {
  const digits = String(totalCents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
