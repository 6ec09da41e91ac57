import { punctuateDocument } from '../../domain/core/documents/documents';
import type { Cell } from '../../domain/core/findings';
import type { InvestigationReport, ReportTable } from './schema';
import type { Words } from '../../domain/job';
import { cellWords } from '../findings/section';
import type { Content } from '../html';
import { html } from '../html';
import type { Block, Column, Section } from '../page';
import type { Reader } from '../reader';
import { nameOf } from '../words';
import { fileLink } from './words';

const mostBars = 8;

/** What a report tells of each kind of step. */
export type Subject =
  'certificates' | 'assets' | 'occurrences' | 'pictures' | 'risk' | 'credit' | 'changes';

/** In the order of the page. */
export const subjects: Record<Subject, { kind: string; title: Words }> = {
  certificates: { kind: 'certificate', title: ['Certificates', 'Certidões'] },
  assets: { kind: 'profile', title: ['Assets', 'Bens'] },
  occurrences: { kind: 'trace', title: ['Occurrences', 'Ocorrências'] },
  pictures: { kind: 'lens', title: ['Pictures', 'Imagens'] },
  risk: { kind: 'dossier', title: ['Risk', 'Risco'] },
  credit: { kind: 'credit', title: ['Credit', 'Crédito'] },
  changes: { kind: 'monitor', title: ['Open changes', 'Alterações em aberto'] },
};

/** Whether the plan has a step of the kind; `requested`: with somebody to ask about. */
export function isPlanned(
  { coverage }: InvestigationReport,
  subject: Subject,
  how: 'planned' | 'requested' = 'planned',
): boolean {
  const steps = coverage.filter(({ kind }) => kind === subjects[subject].kind);
  return steps.some(({ requested }) => how === 'planned' || requested > 0);
}

/** A section of what steps of the kind told. Null: the plan has no such step. */
export function sectionAbout(
  report: InvestigationReport,
  subject: Subject,
  blocks: readonly Block[],
  { say }: Reader,
): Section | null {
  const { title } = subjects[subject];
  if (blocks.length > 0) return { title, blocks };
  if (!isPlanned(report, subject)) return null;
  const why = isPlanned(report, subject, 'requested')
    ? say(
        'There is no answer about this: “What was asked” says why.',
        'Não há resposta sobre isto: veja o motivo em “O que foi consultado”.',
      )
    : say('Nothing was asked about this.', 'Nada foi consultado sobre isto.');
  return { title, blocks: { note: why } };
}

export function assetsSection(report: InvestigationReport, reader: Reader): Section | null {
  const { language, say } = reader;
  const { people, totals } = report.assets;
  const sum = (of: 'count' | 'value'): number =>
    totals.reduce((all, one) => all + Math.round((one[of] ?? 0) * 100), 0) / 100;
  const kinds = totals
    .map(({ count, name }) => [nameOf(name, language), count] as const)
    .sort(([, a], [, b]) => b - a);
  const count = ['Count', 'Quantidade'] as const;
  const list = ['List', 'Lista'] as const;
  const all: Block = {
    pair: [
      {
        columns: [
          { name: list },
          { name: count, as: 'count' },
          { name: ['Value', 'Valor'], as: 'money' },
        ],
        rows: totals.map(({ count: n, name, value }) => [nameOf(name, language), n, value]),
        totals: ['Total', sum('count'), sum('value')],
      },
      {
        chart: {
          name: 'assets',
          title: ['Assets by kind', 'Bens por espécie'],
          form: 'bars',
          points: kinds.slice(0, mostBars),
        },
      },
    ],
  };
  const persons = people.flatMap(({ document, rural, step, tables }): Block[] => [
    { heading: `${punctuateDocument(document)} · ${step}` },
    rural === 'reported'
      ? null
      : {
          text:
            rural === 'failed'
              ? say(
                  'The rural part is missing: the query of the service failed. Nothing is said about rural assets.',
                  'Falta a parte rural: a consulta do serviço falhou. Nada se afirma sobre bens rurais.',
                )
              : say(
                  'The service did not answer with a profile.',
                  'O serviço não respondeu com um perfil.',
                ),
        },
    ...tablesOf(tables, 'assets', reader),
  ]);
  const blocks = people.length === 0 ? [] : [totals.length === 0 ? null : all, ...persons];
  return sectionAbout(report, 'assets', blocks, reader);
}

/** Lists of services, unchanged. */
export function listsSection(
  report: InvestigationReport,
  subject: Exclude<Subject, 'certificates' | 'assets'>,
  reader: Reader,
  intro: string | null = null,
): Section | null {
  const tables = tablesOf(report[subject], subject, reader);
  const blocks = tables.length === 0 ? [] : [intro === null ? null : { note: intro }, ...tables];
  return sectionAbout(report, subject, blocks, reader);
}

const shownAs: Readonly<Record<string, Column['as']>> = {
  brl: 'money',
  count: 'count',
  state: 'status',
  what: 'name',
};

/** A section of several people or monitors names the step of each list. */
function tablesOf(tables: readonly ReportTable[], subject: Subject, reader: Reader): Block[] {
  const { language, say } = reader;
  const wholeIn = say('All of it is in', 'O conteúdo completo está em');
  return tables.flatMap((table, at): Block[] => {
    const { columns, file, rows, step, total } = table;
    // A monitor's list has the monitor's id.
    const name = subject === 'changes' ? table.name : table.name && nameOf(table.name, language);
    const title = [subject === 'assets' ? '' : step, name].filter((word) => word !== '').join(': ');
    const isLast = tables[at + 1]?.file !== file;
    const isSingle = columns[0] === 'what' && columns.length === 2;
    return [
      title === '' ? null : { heading: title },
      rows.length === 0
        ? { note: say('None.', 'Nada consta.') }
        : isSingle
          ? { facts: rows.map(([what = null, value = null]) => singleOf(what, value, reader)) }
          : {
              columns: columns.map((column) => ({
                name: nameOf(column, language),
                ...(shownAs[column] && { as: shownAs[column] }),
              })),
              rows: rows.map((row) =>
                row.map((cell, n): Content => {
                  const column = columns[n] ?? '';
                  const isShown = shownAs[column] !== undefined && typeof cell !== 'boolean';
                  return isShown ? cell : cellWords(reader, column, cell);
                }),
              ),
              more: [total - rows.length, file ?? ''],
            },
      isLast && file !== null ? { note: html`${wholeIn} ${fileLink(file)}` } : null,
    ];
  });
}

function singleOf(what: Cell, value: Cell, reader: Reader) {
  const word = String(what);
  return [nameOf(word, reader.language), cellWords(reader, word, value)] as const;
}
