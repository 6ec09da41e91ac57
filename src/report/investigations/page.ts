import { punctuateDocument } from '../../domain/core/documents/documents';
import type { InvestigationReport } from './schema';
import type { InvestigationStatus } from '../../domain/investigations/kinds';
import type { Words } from '../../domain/job';
import type { ReportLanguage } from '../formats';
import type { Content } from '../html';
import { blocks, fact, small, type Fact, type Section, type Tile } from '../page';
import { pageHtml } from '../page-html';
import { readerOf, type Reader } from '../reader';
import { whyInPortuguese } from '../sentences-pt';
import { nameOf } from '../words';
import { graphHtml } from './graph';
import { assetsSection, isPlanned, listsSection, subjects, type Subject } from './lists';
import { certificatesSection, divergencesSection, filesSection, timeSection } from './records';
import { factWords, requestsWords, statusBadge } from './words';

const headlines: Record<InvestigationStatus, Words> = {
  completed: [
    'Every required step is answered.',
    'Todas as etapas obrigatórias foram respondidas.',
  ],
  incomplete: [
    'Incomplete: a required step has no answer.',
    'Incompleto: falta a resposta de uma etapa obrigatória.',
  ],
  cancelled: [
    'Cancelled before its end: what is here is what had been answered.',
    'Cancelado antes do fim: aqui está o que já havia sido respondido.',
  ],
};

/**
 * The report on a subject as one page, which loads nothing and runs nothing. Texts of services are escaped.
 *
 * @param how `writtenAt`: epoch milliseconds, the only value that is not from the report
 */
export function investigationHtml(
  report: InvestigationReport,
  { language, writtenAt }: { language: ReportLanguage; writtenAt: number },
): string {
  const reader = readerOf(language);
  const { formats, say } = reader;
  const { id, plan, requested, settledAt, status } = report;
  const [at, ended] = [formats.instant(requested.at), formats.instant(settledAt)];
  const label = requested.label === null ? '' : ` (${requested.label})`;
  const page = {
    kicker: ['Due-diligence report', 'Relatório de due diligence'] as const,
    title: subjectName(report),
    headline: say(...headlines[status]),
    when: say(
      `Plan ${plan.name}. Asked by ${requested.by} on ${at}${label}, ended ${ended}.`,
      `Plano ${plan.name}. Pedido por ${requested.by} em ${at}${label}, encerrado em ${ended}.`,
    ),
    tiles: tilesOf(report, reader),
    sections: [
      incompleteSection(report, reader),
      stoppedSection(report, reader),
      subjectSection(report, reader),
      findingsSection(report, reader),
      coverageSection(report, reader),
      certificatesSection(report, reader),
      assetsSection(report, reader),
      listsSection(report, 'occurrences', reader),
      listsSection(report, 'pictures', reader),
      listsSection(
        report,
        'risk',
        reader,
        say(
          'The classification of the service, with the rules that matched.',
          'A classificação do serviço, com as regras que se aplicaram.',
        ),
      ),
      listsSection(report, 'credit', reader),
      listsSection(
        report,
        'changes',
        reader,
        say(
          'Changes that were open when they were taken, and how they stand since.',
          'Alterações que estavam em aberto quando foram recebidas, e como estão desde então.',
        ),
      ),
      divergencesSection(report, reader),
      timeSection(report, reader),
      filesSection(report, reader),
    ],
    about: [
      `${id}. To check this folder on any machine: diligence report verify FOLDER --public-key KEY`,
      `${id}. Para conferir esta pasta em qualquer máquina: diligence report verify PASTA --public-key CHAVE`,
    ] as const,
  };
  return pageHtml(page, reader, writtenAt);
}

function subjectName({ subject, plan }: InvestigationReport): string {
  const { cnpj, cpf, name } = subject;
  if (typeof name === 'string') return name;
  const [document] = [cnpj, cpf].flatMap((list) => list ?? []);
  return document === undefined ? plan.name : punctuateDocument(document);
}

function whyWords(why: string, { say }: Reader): string {
  return say(why, whyInPortuguese(why));
}

function incompleteSection({ error }: InvestigationReport, reader: Reader): Section | null {
  return error === null
    ? null
    : {
        title: ['Why it is incomplete', 'Por que está incompleto'],
        isNotice: true,
        blocks: { text: whyWords(error, reader) },
      };
}

function stoppedSection(report: InvestigationReport, reader: Reader): Section | null {
  if (report.status !== 'cancelled') return null;
  const stopped = report.coverage.filter((row) => row.status !== 'answered');
  return {
    title: ['What was stopped', 'O que foi interrompido'],
    isNotice: true,
    blocks: [
      {
        items: stopped.map(({ step, why }) =>
          why === null ? step : `${step}: ${whyWords(why, reader)}`,
        ),
      },
      { text: requestsWords(report, reader) },
    ],
  };
}

function tilesOf(report: InvestigationReport, { formats, say }: Reader): Tile[] {
  const { assets, certificates, changes, coverage, divergences, findings } = report;
  const requested = coverage.filter((row) => row.requested > 0);
  const answered = requested.filter(({ status }) => status === 'answered').length;
  const issued = certificates.filter(({ file }) => file !== null);
  const [first] = issued.flatMap(({ validity }) => validity?.validUntil ?? []).toSorted();
  const worth = assets.totals.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const facts = new Map(
    findings.flatMap((one) => one.facts.map(({ value, what }) => [what, value] as const)),
  );
  const risk = facts.get('riskLevel') ?? facts.get('riskStatus');
  const score = facts.get('riskScore');
  const open = changes.flatMap(({ rows }) => rows.filter((row) => row.includes('open')));
  /** @param value null: there is no answer */
  const tile = (subject: Subject, value: string | number | null, note = ''): Tile => ({
    name: subjects[subject].title,
    value: isPlanned(report, subject, 'requested')
      ? (value ?? say('no answer', 'sem resposta'))
      : say('not requested', 'não consultado'),
    note,
  });
  const listed = assets.totals.reduce((sum, { count }) => sum + count, 0);
  const asFarAsTold = say('as far as told', 'no que foi informado');
  return [
    {
      name: ['Steps answered', 'Etapas respondidas'],
      value: answered,
      note: say(`of ${requested.length} that asked`, `de ${requested.length} que perguntaram`),
      look: answered < requested.length ? 'warn' : 'good',
    },
    tile(
      'certificates',
      issued.length || null,
      first && `${say('the first ends', 'a primeira vence em')} ${formats.day(first)}`,
    ),
    tile(
      'assets',
      assets.people.length === 0 ? null : listed,
      worth > 0 ? `${formats.money(worth)}, ${asFarAsTold}` : '',
    ),
    {
      ...tile(
        'risk',
        risk == null ? null : String(risk),
        score == null ? '' : `${say('score', 'pontuação')} ${score}`,
      ),
      name: ['Risk, as classified', 'Risco, conforme classificado'],
    },
    tile('changes', changes.length === 0 ? null : open.length),
    {
      name: ['Divergences', 'Divergências'],
      value: divergences.length,
      look: divergences.length > 0 ? 'warn' : '',
    },
  ];
}

const subjectWords: Readonly<Partial<Record<string, Words>>> = {
  cnpj: ['CNPJ', 'CNPJ'],
  cpf: ['CPF', 'CPF'],
  name: ['Name, as known to who asked', 'Nome, conforme quem pediu'],
  email: ['E-mail', 'E-mail'],
  phone: ['Phone', 'Telefone'],
  photo: ['Photograph (sha256)', 'Fotografia (sha256)'],
  receivables: ['Receivables (sha256)', 'Recebíveis (sha256)'],
  xmls: ['Invoices (sha256)', 'Notas fiscais (sha256)'],
};

function subjectSection({ subject }: InvestigationReport, { language }: Reader): Section {
  const facts = Object.entries(subject).map(([word, value]): Fact => {
    const values = [value].flat().filter((one) => one !== null);
    const isDocument = word === 'cnpj' || word === 'cpf';
    const shown = values.map((one) => (isDocument ? punctuateDocument(one) : one));
    return [subjectWords[word] ?? nameOf(word, language), blocks(shown)];
  });
  return { title: ['Subject', 'De quem se trata'], blocks: { facts } };
}

function findingsSection({ findings }: InvestigationReport, reader: Reader): Section {
  const { language, say } = reader;
  const rows = findings.map(({ facts, kind, status, step }): Content[] => [
    [step, small(nameOf(kind, language))],
    status,
    facts.map(({ value, what }) => fact(nameOf(what, language), factWords(reader, what, value))),
  ]);
  return {
    title: ['Findings in short', 'O que foi encontrado, em resumo'],
    blocks: [
      {
        note: say(
          'As the services state them. This report gives no verdict.',
          'Conforme informado pelos serviços. Este relatório não dá parecer.',
        ),
      },
      {
        columns: [
          { name: ['Step', 'Etapa'], width: 20 },
          { name: ['Status', 'Situação'], width: 18, as: 'status' },
          { name: ['What it states', 'O que informa'] },
        ],
        rows,
      },
    ],
  };
}

function coverageSection(report: InvestigationReport, reader: Reader): Section {
  const { htmlLanguage, language, say } = reader;
  const { coverage } = report;
  const sum = (of: 'requested' | 'answered'): number =>
    coverage.reduce((count, row) => count + row[of], 0);
  const left = (Object.keys(subjects) as Subject[])
    .filter((subject) => !isPlanned(report, subject))
    .map((subject) => say(...subjects[subject].title).toLocaleLowerCase(htmlLanguage));
  const rows = coverage.map((row): Content[] => {
    const how = row.required ? say('required', 'obrigatória') : say('optional', 'opcional');
    return [
      [row.step, small(`${nameOf(row.kind, language)}, ${how}`)],
      row.needs.join(', '),
      statusBadge(row.status, reader),
      row.requested === 0 ? '' : `${row.answered} / ${row.requested}`,
      row.why && whyWords(row.why, reader),
    ];
  });
  const unplanned = say('The plan does not ask about:', 'O plano não pergunta sobre:');
  return {
    title: ['What was asked', 'O que foi consultado'],
    blocks: [
      {
        note: say(
          `${sum('answered')} of ${sum('requested')} questions were answered.`,
          `${sum('answered')} de ${sum('requested')} perguntas foram respondidas.`,
        ),
      },
      {
        columns: [
          { name: ['Step', 'Etapa'], width: 22 },
          { name: ['After', 'Depois de'], width: 18 },
          { name: ['Status', 'Situação'], width: 16 },
          { name: ['Answered', 'Respostas'], width: 12 },
          { name: ['Why', 'Motivo'] },
        ],
        rows,
      },
      left.length === 0 ? null : { note: `${unplanned} ${left.join(', ')}.` },
      { heading: say('The plan as a graph', 'O plano em grafo') },
      graphHtml(coverage, reader),
    ],
  };
}
