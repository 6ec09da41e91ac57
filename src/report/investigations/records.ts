import { punctuateDocument } from '../../domain/core/documents/documents';
import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { EvidenceRow, TimelineRow } from '../../domain/investigations/report';
import type { Words } from '../../domain/job';
import { html, type Content, type Html } from '../html';
import { cardPart, smallPart, tablePart } from '../parts';
import { billingWord, nameOf, statusWord } from '../words';
import { absence, badge, fileLink, isPlanned, none, note, sections, type Page } from './page';

const certificateTypes: Readonly<Partial<Record<string, Words>>> = {
  cnpj: ['company data (CNPJ)', 'dados cadastrais (CNPJ)'],
  trabalhista: ['CNDT (labour debts)', 'CNDT (débitos trabalhistas)'],
};

export function certificatesPart(page: Page): Html | null {
  const { formats, language, say } = page.reader;
  const { certificates } = page.report;
  if (!isPlanned(page, 'certificates')) return null;
  const title = say(...sections.certificates.title);
  if (certificates.length === 0) return cardPart(title, absence(page, 'certificates'));
  const rows = certificates.map((row): Content[] => [
    [punctuateDocument(row.document), smallPart(row.step)],
    say(...(certificateTypes[row.type] ?? [row.type, row.type])),
    statusWord(row.status, language),
    [
      row.officialName,
      row.holderName === row.officialName ? null : smallPart(row.holderName),
      row.divergent === true
        ? smallPart(`${nameOf('divergent', language)}: ${row.baseName ?? '-'}`)
        : null,
      smallPart(row.classification),
    ],
    [row.capturedAt && formats.instant(row.capturedAt), smallPart(row.sourceName)],
    row.validity === null
      ? row.file && smallPart(say('no rule of law is known', 'não há regra legal conhecida'))
      : [formats.day(row.validity.validUntil), smallPart(row.validity.rule)],
    fileLink(row.file),
  ]);
  const rules = new Set(
    certificates.flatMap(({ validity }) =>
      validity === null ? [] : [`${validity.rule}: ${validity.source}.`],
    ),
  );
  const intro = say(
    'The last day is derived from the law and the day of capture; the service does not state it.',
    'O último dia é calculado pela lei a partir do dia da captura; o serviço não o informa.',
  );
  const columns = [
    { name: say('Document', 'Documento'), width: 20 },
    { name: say('Type', 'Tipo'), width: 13 },
    { name: say('Status', 'Situação'), width: 10 },
    { name: say('Official name; classification', 'Nome oficial; classificação'), width: 18 },
    { name: say('Captured', 'Captura'), width: 13 },
    { name: say('Valid until', 'Válida até'), width: 13 },
    { name: say('File', 'Arquivo'), width: 13 },
  ];
  return cardPart(title, [note([intro, ...rules].join(' ')), tablePart(columns, rows)]);
}

export function divergencesPart({ reader, report }: Page): Html | null {
  const { language, say } = reader;
  if (report.divergences.length === 0) return null;
  const intro = say(
    'Sources name the same document differently. Both are shown; which one is right is for a person to decide.',
    'As fontes informam dados diferentes para o mesmo documento. Todas são mostradas; qual está certa, cabe a uma pessoa decidir.',
  );
  const asRequested = say('as known to who asked', 'conforme quem pediu');
  const columns = [{ name: say('Value', 'Valor') }, { name: say('Source', 'Fonte') }];
  const parts = report.divergences.map(({ about, document, values }) => {
    const rows = values.map(({ sources, value }) => [
      html`<strong>${value}</strong>`,
      sources.map(
        (source) =>
          html`<span class="block">${source === 'as asked' ? asRequested : source}</span>`,
      ),
    ]);
    return html`<h3 class="after">${punctuateDocument(document)}: ${nameOf(about, language)}</h3>
      ${tablePart(columns, rows)}`;
  });
  return cardPart(say('Divergences', 'Divergências'), [note(intro), parts]);
}

export function timelinePart(page: Page): Html {
  const { reader, report } = page;
  const { formats, language, say } = reader;
  const cells = (row: TimelineRow): Content[] => [
    [
      row.step,
      smallPart(nameOf(row.kind, language)),
      isFound(row) ? smallPart(`${say('found in', 'encontrado em')} ${row.from}`) : null,
      smallPart(html`<code>${row.job}</code>`),
    ],
    row.startedAt && formats.instant(row.startedAt),
    [row.endedAt && formats.instant(row.endedAt), smallPart(durationOf(page, row))],
    [
      badge(page, row.result),
      smallPart(row.status && statusWord(row.status, language)),
      row.reused ? smallPart(say('reused', 'reaproveitada')) : null,
    ],
    [
      row.cost.map((one) => html`<span class="block">${costText(page, one)}</span>`),
      row.unanswered > 0 ? smallPart(say('may still be charged', 'ainda pode ser cobrado')) : null,
    ],
  ];
  const columns = [
    { name: say('Step', 'Etapa'), width: 40 },
    { name: say('Started', 'Início') },
    { name: say('Ended', 'Fim') },
    { name: say('Result', 'Resultado') },
    { name: say('Cost', 'Custo') },
  ];
  const costIntro = say(
    'Of what this investigation asked for anew, as the services reported it.',
    'Do que esta investigação pediu de novo, conforme informado pelos serviços.',
  );
  const cost = report.cost.map((one) => html`<li>${costText(page, one)}</li>`);
  return cardPart(say('Timeline and cost', 'Linha do tempo e custo'), [
    report.timeline.length === 0 ? none(page) : tablePart(columns, report.timeline.map(cells)),
    html`<h3 class="after">${say('Cost', 'Custo')}</h3>`,
    note(requestsText(page)),
    cost.length === 0
      ? note(say('No service reported a cost.', 'Nenhum serviço informou custo.'))
      : html`${note(costIntro)}
          <ul>
            ${cost}
          </ul>`,
  ]);
}

/** The requests, and those that may be charged beyond the reported cost. */
export function requestsText({ reader: { formats, say }, report }: Page): string {
  const { possibleDoubleCharges: twice, requested, reused, unanswered } = report.requests;
  const sentences: [number | null, string, string][] = [
    [requested, 'Requests sent', 'Pedidos enviados'],
    [reused, 'Results reused', 'Resultados reaproveitados'],
    [
      unanswered || null,
      'Requests without an answer, which may still be charged',
      'Pedidos sem resposta, que ainda podem ser cobrados',
    ],
    [
      twice || null,
      'Requests that may have been charged twice',
      'Pedidos talvez cobrados duas vezes',
    ],
  ];
  return sentences
    .flatMap(([count, en, pt]) =>
      count === null ? [] : `${say(en, pt)}: ${formats.number(count)}.`,
    )
    .join(' ');
}

/** Another step found its subject. */
function isFound({ from }: TimelineRow): boolean {
  return from !== '' && !from.startsWith('subject:');
}

function durationOf({ reader }: Page, { endedAt, startedAt }: TimelineRow): string | null {
  const ms = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '');
  return Number.isNaN(ms) ? null : reader.formats.duration(ms);
}

/** `3 tokens: charged (2)`, in the service's words. */
function costText({ reader }: Page, { amount, count, status, unit }: BillingTotal): string {
  const { formats, htmlLanguage } = reader;
  const what =
    amount === null
      ? `${formats.number(count)} × ${unit ?? '?'}`
      : `${new Intl.NumberFormat(htmlLanguage, { maximumFractionDigits: 6 }).format(amount)} ${unit ?? ''}`;
  const times = amount === null || count === 1 ? '' : ` (${formats.number(count)})`;
  return `${what.trim()}${status === null ? '' : `: ${billingWord(status, reader.language)}`}${times}`;
}

export function evidencePart(page: Page): Html {
  const { reader, report } = page;
  const { formats, say } = reader;
  const until = say('Valid until', 'Válida até');
  const cells = (row: EvidenceRow): Content[] => [
    [fileLink(row.path), smallPart(row.path), smallPart(html`<code>${row.sha256}</code>`)],
    [row.source, smallPart(row.endpoint), smallPart(row.requestId)],
    [
      formats.instant(row.capturedAt),
      smallPart(
        row.validity && `${until} ${formats.day(row.validity.validUntil)} (${row.validity.rule})`,
      ),
    ],
    row.requestedBy,
  ];
  const columns = [
    { name: say('File, sha256', 'Arquivo, sha256'), width: 42 },
    { name: say('Source, id at the service', 'Fonte, id no serviço') },
    { name: say('Captured', 'Captura') },
    { name: say('Asked by', 'Pedido por'), width: 12 },
  ];
  const intro = say(
    'Every file is in the folder of this report. manifest.json, which is signed, has the same sums.',
    'Todos os arquivos estão na pasta deste relatório. O manifest.json, assinado, traz as mesmas somas.',
  );
  return cardPart(
    say('Evidence', 'Evidências'),
    report.evidence.length === 0
      ? none(page)
      : [note(intro), tablePart(columns, report.evidence.map(cells))],
  );
}
