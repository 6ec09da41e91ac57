import { attentionOf } from '../../domain/attention';
import type { BatchSummary } from '../../domain/certificates/certificates';
import type { DecisionRecord } from '../../domain/core/decision';
import type { CertificateRecord } from '../../domain/certificates/job';
import { maskTextOfPeople } from '../../protection/redaction';
import { batchPage, type BatchPart } from '../batches/page';
import { binsOf, quantile } from '../bins';
import type { ReportLanguage } from '../formats';
import { code, type Block, type Section } from '../page';
import { readerOf, type Reader } from '../reader';
import { command, type EvidenceFile } from '../sections';
import { resolveLine, sentence, shellWord, statusWord } from '../words';
import type { ReportFigures } from './figures';

export interface Report {
  summary: BatchSummary;
  record: CertificateRecord;
  decisions: readonly DecisionRecord[];
  figures: ReportFigures;
  files: readonly EvidenceFile[];
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** Documents are masked, and texts of a spreadsheet or a service are escaped. */
export function reportHtml(report: Report, language: ReportLanguage): string {
  const reader = readerOf(language);
  const { formats, say } = reader;
  const { decisions, figures, record, summary } = report;
  const { batch, doubleCharges, takenOver, waits } = figures;
  const { batchId: id, counts, finishedAt: endedAt } = summary;
  const [half, most] = [0.5, 0.9].map((share) => formats.duration(quantile(waits, share)));
  const part: BatchPart = {
    tiles: [
      {
        name: ['Issued', 'Emitidas'],
        value: counts.issued,
        note: formats.share(counts.issued, batch.lines),
        look: 'good',
      },
      {
        name: ['Requests sent', 'Pedidos enviados'],
        value: summary.requested,
        note: say(
          `${formats.number(takenOver)} taken from earlier work`,
          `${formats.number(takenOver)} aproveitadas de trabalho anterior`,
        ),
      },
      {
        name: ['Possible double charges', 'Possíveis cobranças em dobro'],
        value: doubleCharges.count,
        look: doubleCharges.count === 0 ? '' : 'warn',
      },
      {
        name: ['Median wait', 'Espera mediana'],
        value: waits.length === 0 ? '–' : (half ?? ''),
        note:
          waits.length === 0 ? '' : say(`9 in 10 within ${most}`, `9 em cada 10 em até ${most}`),
      },
    ],
    parts: [chartsSection(figures, reader), classificationsSection(figures, reader)],
    next: {
      commandOf: ({ line, next: action }) =>
        action && resolveLine(id, { action, which: `--line ${line}` }, reader),
      actionsOf: (status) => actionsOf(status, report, reader),
    },
    more: [doubleChargesSection(figures, reader)],
    events: decisions.map(({ action, at, by, externalId, note, rows }) => {
      const lines = rows.slice(0, 20).map(({ line }) => line);
      const more = rows.length > lines.length ? ' …' : '';
      const what = `${statusWord(action, language)} ${externalId ?? ''}`.trim();
      const about = `${by}, ${say('lines', 'linhas')} ${lines.join(', ')}${more}`;
      return { at, what: `${what}: ${maskTextOfPeople(note)}`, note: about };
    }),
    facts: [
      [
        ['Type for lines without one', 'Tipo das linhas que não o informam'],
        record.inputName && record.type,
      ],
      [
        ['Deadline of a row', 'Prazo de cada linha'],
        record.terms && formats.duration(record.terms.rowDeadlineMs),
      ],
      [['Audit trail, head', 'Trilha de auditoria, cabeça'], code(summary.auditHead)],
    ],
  };
  return batchPage({ ...report, id, figures: batch, cost: [], endedAt }, part, reader);
}

/** What can be decided about all lines of a status at once, each with its command. */
function actionsOf(status: string, { figures, record, summary }: Report, reader: Reader): Block {
  const { say } = reader;
  if (status === 'invalid' && record.inputName !== null) {
    const type = record.type === null ? '' : ` --type ${record.type}`;
    const input = shellWord(maskTextOfPeople(record.inputName));
    return { text: command(`diligence certificate batch --input ${input}${type}`) };
  }
  const { actions } = attentionOf('certificate', status, [], say);
  const items = actions
    // What the service calls final is not bought again, all of it at once.
    .filter(({ action }) => action !== 'reissue' || !figures.final.has(status))
    // That is about the batch.
    .filter(({ action }) => action !== 'acknowledge')
    .map(({ action, does }) => {
      const which = action === 'adopt' ? '--line N' : `--status ${status}`;
      return [sentence(does), command(resolveLine(summary.batchId, { action, which }, reader))];
    });
  return items.length === 0 ? null : { items, ordered: true };
}

function chartsSection({ issuedAt, waits }: ReportFigures, reader: Reader): Section | null {
  const { formats, say } = reader;
  if (issuedAt.length === 0) return null;
  const [from, to] = [quantile(issuedAt, 0), quantile(issuedAt, 1)];
  let sum = 0;
  const soFar = binsOf(issuedAt, 60).map(
    (bar) => [formats.clock(bar.from, to - from), (sum += bar.count)] as const,
  );
  const most = Math.min(30, Math.max(8, Math.ceil(2 * Math.cbrt(waits.length))));
  const longest = formats.duration(quantile(waits, 1));
  return {
    title: ['Issued over time, and how long each took', 'Emissões ao longo do tempo, e a espera'],
    blocks: [
      {
        pair: [
          {
            chart: {
              name: 'issued',
              title: ['Issued over time', 'Emissões ao longo do tempo'],
              form: 'area',
              colour: 'good',
              points: soFar,
            },
          },
          waits.length === 0
            ? null
            : {
                chart: {
                  name: 'waits',
                  title: ['From request to issuance', 'Do pedido à emissão'],
                  form: 'columns',
                  points: binsOf(waits, most).map((bar) => [formats.duration(bar.from), bar.count]),
                },
              },
        ],
      },
      {
        note: say(
          `Issued between ${formats.instant(from)} and ${formats.instant(to)}, by the service’s clock; the longest wait was ${longest}.`,
          `Emitidas entre ${formats.instant(from)} e ${formats.instant(to)}, pelo relógio do serviço; a maior espera foi de ${longest}.`,
        ),
      },
    ],
  };
}

function classificationsSection(
  { classifications }: ReportFigures,
  { say }: Reader,
): Section | null {
  if (classifications.length === 0) return null;
  const bars = classifications.map(([word, amount]) => {
    return { name: word === '' ? say('(none told)', '(não informada)') : word, amount };
  });
  return {
    title: ['What the certificates say', 'O que dizem as certidões'],
    blocks: {
      bars,
      of: [
        'Classification, as the service told it',
        'Classificação, conforme informada pelo serviço',
      ],
      amount: ['Certificates', 'Certidões'],
    },
  };
}

function doubleChargesSection({ doubleCharges }: ReportFigures, { say }: Reader): Section | null {
  const { count, lines } = doubleCharges;
  if (count === 0) return null;
  const means = say(
    'Sent again over an unknown outcome. If the lost request had been accepted, the service may charge both. Compare with its invoice.',
    'Enviadas de novo sobre um resultado desconhecido. Se o pedido perdido tinha sido aceito, o serviço pode cobrar os dois. Confira na fatura.',
  );
  const more = count > lines.length ? ' …' : '';
  return {
    title: ['Possible double charges', 'Possíveis cobranças em dobro'],
    count,
    blocks: [{ text: means }, { text: `${say('Lines', 'Linhas')}: ${lines.join(', ')}${more}` }],
  };
}
