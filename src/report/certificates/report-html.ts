import { needsAttention } from '../../domain/attention';
import {
  rowStatuses,
  type RowStatus,
  type StatusCounts,
  type StoredResultRow,
} from '../../domain/certificates/certificates';
import type { Words } from '../../domain/job';
import { maskTextOfPeople } from '../../protection/redaction';
import type { ReportLanguage } from '../formats';
import { html, type Content, type Html } from '../html';
import { htmlPage } from '../html-page';
import { barsPart, cardPart, morePart, smallPart, tablePart, tilesPart, type Look } from '../parts';
import { readerOf } from '../reader';
import { statusWord } from '../words';
import { decisionsPart, detailsPart } from './details-part';
import { leftPart } from './left-part';
import { looks, type Page, type Report } from './page';
import { picturesPart } from './pictures-part';

/** Documents are masked, and texts of a spreadsheet or a service are escaped. */
export function reportHtml(report: Report, language: ReportLanguage): string {
  const reader = readerOf(language);
  const { formats, say } = reader;
  const { figures, record, summary } = report;
  const page: Page = { ...report, reader };
  const issued = formats.number(figures.counts.issued);
  const lines = reader.count(
    figures.total,
    ['line issued', 'lines issued'],
    ['linha emitida', 'linhas emitidas'],
  );
  return htmlPage(reader, {
    kicker: say('Certificate report', 'Relatório de certidões'),
    title:
      record.inputName === null
        ? say('one document, given on the command line', 'um documento, dado na linha de comando')
        : maskTextOfPeople(record.inputName),
    headline: `${issued} ${say('of', 'de')} ${lines}. ${stateText(page)}`,
    when: `${formats.instant(summary.startedAt)} – ${formats.instant(summary.finishedAt)}`,
    main: html`${figuresPart(page)} ${outcomesPart(page)} ${picturesPart(page)}
    ${classificationsPart(page)} ${leftPart(page)} ${doubleChargesPart(page)} ${issuedPart(page)}
    ${decisionsPart(page)} ${detailsPart(page)}`,
    about: say(
      'Documents are masked. The lines are those of the spreadsheet (the header is line 1), and results.csv beside this file holds them in full.',
      'Os documentos estão mascarados. As linhas são as da planilha (o cabeçalho é a linha 1), e results.csv, ao lado deste arquivo, traz os documentos por extenso.',
    ),
    writtenAt: report.writtenAt,
  });
}

function stateText({ reader: { count, say }, figures }: Page): string {
  const needed = needAPerson(figures.counts);
  const { cancelled } = figures.counts;
  if (needed > 0) {
    return `${count(needed, ['line needs', 'lines need'], ['linha precisa', 'linhas precisam'])} ${say('a person.', 'de uma pessoa.')}`;
  }
  return cancelled > 0
    ? `${count(cancelled, ['line was cancelled', 'lines were cancelled'], ['linha foi cancelada', 'linhas foram canceladas'])}.`
    : say('Nothing is left to do.', 'Não há nada pendente.');
}

/** Same rule as the command's exit code: cancelled rows need no attention. */
function needAPerson(counts: StatusCounts): number {
  return rowStatuses
    .filter((status) => needsAttention('certificate-batch', status))
    .reduce((sum, status) => sum + counts[status], 0);
}

function figuresPart({ reader: { formats, say }, figures, summary }: Page): Html {
  const { counts, total, doubleCharges, takenOver, waits } = figures;
  const needed = needAPerson(counts);
  const [issued, all] = [formats.share(counts.issued, total), formats.number(total)];
  const taken = formats.number(takenOver);
  const most = formats.duration(waits.quantile(0.9));
  const someLook = (count: number): Look => (count === 0 ? '' : 'warn');
  return tilesPart([
    {
      name: say('Issued', 'Emitidas'),
      value: formats.number(counts.issued),
      note: say(`${issued} of ${all}`, `${issued} de ${all}`),
      look: 'good',
    },
    {
      name: say('Need a person', 'Precisam de uma pessoa'),
      value: formats.number(needed),
      note:
        needed === 0
          ? say('every line has a good end', 'todas as linhas terminaram bem')
          : say('see “What is left to do”', 'veja “Pendências”'),
      look: someLook(needed),
    },
    {
      name: say('Requests sent', 'Pedidos enviados'),
      value: formats.number(summary.requested),
      note:
        takenOver === 0
          ? say('or may have been sent', 'ou que podem ter sido enviados')
          : say(`${taken} taken from earlier work`, `${taken} aproveitadas de trabalho anterior`),
    },
    {
      name: say('Possible double charges', 'Possíveis cobranças em dobro'),
      value: formats.number(doubleCharges.count),
      note:
        doubleCharges.count === 0
          ? say(
              'nothing was sent over an unknown outcome',
              'nada foi reenviado sobre um resultado desconhecido',
            )
          : say('see the lines below', 'veja as linhas abaixo'),
      look: someLook(doubleCharges.count),
    },
    {
      name: say('Cost', 'Custo'),
      value: say('not told', 'não informado'),
      note: say(
        'the service tells no cost for certificates',
        'o serviço não informa o custo das certidões',
      ),
    },
    {
      name: say('Median wait', 'Espera mediana'),
      value: waits.total > 0 ? formats.duration(waits.quantile(0.5)) : '–',
      note:
        waits.total > 0
          ? say(`9 in 10 within ${most}`, `9 em cada 10 em até ${most}`)
          : say('nothing was issued', 'nada foi emitido'),
    },
  ]);
}

const meanings: Record<RowStatus, Words> = {
  issued: ['completed, and its PDF was checked', 'concluída, com o PDF conferido'],
  duplicate: [
    'same document and type as an earlier line; carries its result',
    'mesmo documento e tipo de uma linha anterior; traz o resultado dela',
  ],
  unknown_outcome: [
    'the answer was lost: the service may or may not have accepted the request',
    'a resposta se perdeu: o serviço pode ou não ter aceitado o pedido',
  ],
  failed: [
    'refused by the service, or ended there as failed',
    'recusada pelo serviço, ou terminou nele com falha',
  ],
  expired: ['not settled within the time given', 'não terminou dentro do prazo dado'],
  invalid: [
    'the line of the spreadsheet cannot be read as a request',
    'a linha da planilha não pode ser lida como um pedido',
  ],
  unsupported: [
    'valid, but the service does not take it yet',
    'válida, mas o serviço ainda não a atende',
  ],
  cancelled: [
    'never sent, left at the service, or given up',
    'nunca enviada, deixada no serviço ou abandonada',
  ],
  erased: ['personal data, erased for good', 'dados pessoais, eliminados em definitivo'],
};

function outcomesPart({ reader, figures }: Page): Html {
  const { formats, language, say } = reader;
  const { counts, total } = figures;
  const shown = (Object.keys(meanings) as RowStatus[]).filter((status) => counts[status] > 0);
  const bars = shown.map((status) => ({
    name: statusWord(status, language),
    amount: counts[status],
    means: say(...meanings[status]),
    look: looks[status],
  }));
  const heads: [string, string] = [say('Status', 'Situação'), say('Lines', 'Linhas')];
  const table = barsPart(reader, bars, { heads, whole: total, total: formats.number(total) });
  return cardPart(say('How the lines ended', 'Como as linhas terminaram'), table);
}

function classificationsPart({ reader: { formats, say }, figures }: Page): Html | null {
  const { classifications, counts, divergent } = figures;
  if (counts.issued === 0) return null;
  const named = (word: string): string => {
    if (word === '') return say('(none told)', '(não informada)');
    return word === '…' ? say('(other words)', '(outras palavras)') : word;
  };
  const table = tablePart(
    [
      {
        name: say(
          'Classification, as the service told it',
          'Classificação, conforme informada pelo serviço',
        ),
        look: 'wide',
      },
      { name: say('Certificates', 'Certidões'), look: 'right' },
      { name: say('Share', 'Parcela'), look: 'right' },
    ],
    classifications.map(({ word, count }) => [
      named(word),
      formats.number(count),
      formats.share(count, counts.issued),
    ]),
  );
  const count = formats.number(divergent);
  const differ = say(
    `Official data differ from the data on record (“divergent” in results.csv): ${count}.`,
    `Com dados oficiais que divergem dos dados do cadastro (“divergent” em results.csv): ${count}.`,
  );
  return cardPart(
    say('What the certificates say', 'O que dizem as certidões'),
    html`${table} ${divergent === 0 ? null : html`<p class="small">${differ}</p>`}`,
  );
}

function doubleChargesPart({ reader, figures }: Page): Html | null {
  const { count, lines } = figures.doubleCharges;
  if (count === 0) return null;
  const { say } = reader;
  const sent = reader.count(
    count,
    ['line was sent', 'lines were sent'],
    ['linha foi enviada', 'linhas foram enviadas'],
  );
  const means = say(
    `${sent} again over an unknown outcome. If the lost request had been accepted, the service may charge both. Compare with its invoice.`,
    `${sent} de novo sobre um resultado desconhecido. Se o pedido perdido tinha sido aceito, o serviço pode cobrar os dois. Confira na fatura.`,
  );
  return cardPart(
    say('Possible double charges', 'Possíveis cobranças em dobro'),
    html`<p>${means}</p>
      <p class="number">${say('Lines', 'Linhas')}: ${lines.join(', ')}</p>
      ${morePart(reader, count - lines.length, 'results.csv')}`,
  );
}

/** Issued certificates: their subjects, content, and source. */
function issuedPart({ reader, figures }: Page): Html | null {
  const { formats, say } = reader;
  const { issued } = figures;
  if (issued.length === 0) return null;
  const cells = (row: StoredResultRow): Content[] => {
    const { baseName, capturedAt, divergent, document, officialName, reference, type } = row;
    const name = row.holderName ?? officialName;
    const named = [document, type, reference && `${say('reference', 'referência')} ${reference}`];
    const differs = say('differs from the name on record', 'diverge do nome no cadastro');
    return [
      row.line,
      [
        name,
        name === officialName
          ? null
          : smallPart(officialName && `${say('official name', 'nome oficial')}: ${officialName}`),
        smallPart(named.filter((one) => one !== '').join(' · ')),
      ],
      [row.classification, divergent === true ? smallPart(`${differs}: ${baseName ?? '–'}`) : null],
      [row.sourceName, smallPart(capturedAt === null ? null : formats.instant(capturedAt))],
    ];
  };
  const columns = [
    { name: say('Line', 'Linha'), look: 'line' },
    { name: say('Holder', 'Titular'), look: 'wide' },
    { name: say('What it says', 'O que diz') },
    { name: say('Source', 'Fonte') },
  ] as const;
  return cardPart(
    say('Issued certificates', 'Certidões emitidas'),
    html`${tablePart(columns, issued.map(cells))}
    ${morePart(reader, figures.counts.issued - issued.length, 'results.csv')}`,
  );
}
