import { punctuateDocument } from '../../domain/core/documents/documents';
import type { InvestigationReport } from './schema';
import type { Words } from '../../domain/job';
import type { Content } from '../html';
import { blocks, code, small, type Block, type Section } from '../page';
import type { Reader } from '../reader';
import { costWords } from '../sections';
import { nameOf, statusWord } from '../words';
import { sectionAbout } from './lists';
import { fileLink, requestsWords, statusBadge } from './words';

const certificateTypes: Readonly<Partial<Record<string, Words>>> = {
  cnpj: ['company data (CNPJ)', 'dados cadastrais (CNPJ)'],
  trabalhista: ['CNDT (labour debts)', 'CNDT (débitos trabalhistas)'],
};

export function certificatesSection(report: InvestigationReport, reader: Reader): Section | null {
  const { formats, language, say } = reader;
  const { certificates } = report;
  const rows = certificates.map((row): Content[] => [
    [punctuateDocument(row.document), small(row.step)],
    say(...(certificateTypes[row.type] ?? [row.type, row.type])),
    row.status,
    [
      row.officialName,
      row.holderName === row.officialName ? null : small(row.holderName),
      row.divergent === true
        ? small(`${nameOf('divergent', language)}: ${row.baseName ?? '-'}`)
        : null,
      small(row.classification),
    ],
    [row.capturedAt && formats.instant(row.capturedAt), small(row.sourceName)],
    row.validity === null
      ? row.file && small(say('no rule of law is known', 'não há regra legal conhecida'))
      : [formats.day(row.validity.validUntil), small(row.validity.rule)],
    fileLink(row.file),
  ]);
  const rules = certificates.flatMap(({ validity }) =>
    validity === null ? [] : [`${validity.rule}: ${validity.source}.`],
  );
  const intro = say(
    'The last day is derived from the law and the day of capture; the service does not state it.',
    'O último dia é calculado pela lei a partir do dia da captura; o serviço não o informa.',
  );
  const table: Block = {
    columns: [
      { name: ['Document', 'Documento'], width: 20 },
      { name: ['Type', 'Tipo'], width: 13 },
      { name: ['Status', 'Situação'], width: 10, as: 'status' },
      { name: ['Official name; classification', 'Nome oficial; classificação'], width: 18 },
      { name: ['Captured', 'Captura'], width: 13 },
      { name: ['Valid until', 'Válida até'], width: 13 },
      { name: ['File', 'Arquivo'], width: 13 },
    ],
    rows,
  };
  const told = rows.length === 0 ? [] : [{ note: [intro, ...new Set(rules)].join(' ') }, table];
  return sectionAbout(report, 'certificates', told, reader);
}

export function divergencesSection(
  { divergences }: InvestigationReport,
  { language, say }: Reader,
): Section | null {
  if (divergences.length === 0) return null;
  const intro = say(
    'Sources name the same document differently. Both are shown; which one is right is for a person to decide.',
    'As fontes informam dados diferentes para o mesmo documento. Todas são mostradas; qual está certa, cabe a uma pessoa decidir.',
  );
  const asRequested = say('as known to who asked', 'conforme quem pediu');
  const tables = divergences.flatMap(({ about, document, values }): Block[] => [
    { heading: `${punctuateDocument(document)}: ${nameOf(about, language)}` },
    {
      columns: [{ name: ['Value', 'Valor'] }, { name: ['Source', 'Fonte'] }],
      rows: values.map(({ sources, value }) => [
        value,
        blocks(sources.map((source) => (source === 'as asked' ? asRequested : source))),
      ]),
    },
  ]);
  return { title: ['Divergences', 'Divergências'], blocks: [{ note: intro }, ...tables] };
}

export function timeSection(report: InvestigationReport, reader: Reader): Section {
  const { formats, language, say } = reader;
  const rows = report.timeline.map((row): Content[] => {
    const tookMs = Date.parse(row.endedAt ?? '') - Date.parse(row.startedAt ?? '');
    // Another step found its subject.
    const isFound = row.from !== '' && !row.from.startsWith('subject:');
    return [
      [
        row.step,
        small(nameOf(row.kind, language)),
        isFound ? small(`${say('found in', 'encontrado em')} ${row.from}`) : null,
        small(code(row.job)),
      ],
      row.startedAt,
      [
        row.endedAt && formats.instant(row.endedAt),
        Number.isNaN(tookMs) ? null : small(formats.duration(tookMs)),
      ],
      [
        statusBadge(row.result, reader),
        small(row.status && statusWord(row.status, language)),
        row.reused ? small(say('reused', 'reaproveitada')) : null,
      ],
      [
        blocks(row.cost.map((one) => costWords(one, reader).join(': '))),
        row.unanswered > 0 ? small(say('may still be charged', 'ainda pode ser cobrado')) : null,
      ],
    ];
  });
  const cost: Block[] =
    report.cost.length === 0
      ? [{ note: say('No service reported a cost.', 'Nenhum serviço informou custo.') }]
      : [
          {
            note: say(
              'Of what this investigation asked for anew, as the services reported it.',
              'Do que esta investigação pediu de novo, conforme informado pelos serviços.',
            ),
          },
          { items: report.cost.map((one) => costWords(one, reader).join(': ')) },
        ];
  return {
    title: ['Timeline and cost', 'Linha do tempo e custo'],
    blocks: [
      {
        columns: [
          { name: ['Step', 'Etapa'], width: 40 },
          { name: ['Started', 'Início'], as: 'instant' },
          { name: ['Ended', 'Fim'] },
          { name: ['Result', 'Resultado'] },
          { name: ['Cost', 'Custo'] },
        ],
        rows,
      },
      { heading: say('Cost', 'Custo') },
      { note: requestsWords(report, reader) },
      ...cost,
    ],
  };
}

export function filesSection({ evidence }: InvestigationReport, { formats, say }: Reader): Section {
  const until = say('Valid until', 'Válida até');
  const rows = evidence.map(({ validity, ...row }): Content[] => [
    [fileLink(row.path), small(row.path), small(code(row.sha256))],
    [row.source, small(row.endpoint), small(row.requestId)],
    [
      formats.instant(row.capturedAt),
      small(validity && `${until} ${formats.day(validity.validUntil)} (${validity.rule})`),
    ],
    row.requestedBy,
  ]);
  return {
    title: ['Evidence', 'Evidências'],
    blocks: [
      {
        note: say(
          'Every file is in the folder of this report. manifest.json, which is signed, has the same sums.',
          'Todos os arquivos estão na pasta deste relatório. O manifest.json, assinado, traz as mesmas somas.',
        ),
      },
      {
        columns: [
          { name: ['File, sha256', 'Arquivo, sha256'], width: 42 },
          { name: ['Source, id at the service', 'Fonte, id no serviço'] },
          { name: ['Captured', 'Captura'] },
          { name: ['Asked by', 'Pedido por'], width: 12 },
        ],
        rows,
      },
    ],
  };
}
