import { attentionOf, whyOf } from '../../domain/attention';
import { fieldsOf } from '../../domain/core/findings';
import type { JobKind, Words } from '../../domain/job';
import type { ReportLanguage } from '../formats';
import { html } from '../html';
import { code, type Block, type Fact, type Section } from '../page';
import { problemWords } from '../problem-words';
import { type Reader, readerOf } from '../reader';
import { command, costTile, jobHtml, type JobPage, type TimelineEvent } from '../sections';
import { nameOf, pathName, resolveLine, sentence, statusWord } from '../words';
import { dossierPart } from './dossier';
import { lensPart } from './lens';
import { profilePart } from './profile';
import type { FindingsReport, PartOf, SpecialPart } from './report';
import { cellContent, findingsSection } from './section';
import { tracePart } from './trace';

const specials: Readonly<Partial<Record<JobKind, PartOf>>> = {
  trace: tracePart,
  lens: lensPart,
  dossier: dossierPart,
  profile: profilePart,
};

/** Texts of the service are escaped. */
export function findingsHtml(report: FindingsReport, language: ReportLanguage): string {
  const reader = readerOf(language);
  const { formats } = reader;
  const { findings, kind, settledAt, status } = report;
  const part = specials[kind]?.(report, reader) ?? plainPart(report, reader);
  const { headline, kicker, more = [], parts = [], tiles, views = {} } = part;
  const shown = findings.sections.filter(({ title }) => views[title] !== null);
  const facts = Object.entries(findings.facts).map(([path, value]): Fact => [
    pathName(path, language),
    cellContent(reader, path, value),
  ]);
  const isAnswered = facts.some(([, content]) => content !== null && content !== '');
  const page: JobPage = {
    kicker,
    title: report.subject,
    headline,
    when: `${statusWord(status, language)} · ${formats.instant(settledAt)}`,
    hasPictures: report.picture !== null,
    tiles: [...tiles, costTile(report.cost, reader)],
    job: { ...report, endedAt: settledAt },
    parts: [
      errorSection(report, reader),
      ...parts,
      ...shown
        .filter(({ rows }) => rows.length > 0)
        .map((section) => findingsSection(reader, section, views[section.title] ?? undefined)),
      emptySection(
        shown.filter(({ rows }) => rows.length === 0).map(({ title }) => nameOf(title, language)),
      ),
      ...more,
    ],
    left: stepsOf(report, reader),
    more: [isAnswered ? { title: ['The answer', 'A resposta'], blocks: { facts } } : null],
    events: timesOf(report, reader),
    files: report.files,
    facts: [
      [['Label', 'Rótulo'], report.label],
      [['Status', 'Situação'], statusWord(status, language)],
    ],
    about: [
      'Rows are as the service sent them, but for documents, which are masked. The files beside this page hold all of it.',
      'As linhas estão como o serviço as enviou, com os documentos mascarados. Os arquivos ao lado desta página trazem tudo.',
    ],
  };
  return jobHtml(page, reader, report.writtenAt);
}

/** Of a kind that adds nothing of its own. */
function plainPart({ findings, kind }: FindingsReport, { language }: Reader): SpecialPart {
  const tiles = findings.sections.map(({ rows, title }) => {
    return { name: nameOf(title, language), value: rows.length };
  });
  const headline = tiles.map(({ name, value }) => `${name}: ${value}`).join(', ');
  return { kicker: nameOf(kind, language), headline, tiles: tiles.slice(0, 5) };
}

function errorSection(
  { error, findings }: FindingsReport,
  { language, say }: Reader,
): Section | null {
  if (error === null && findings.result !== null) return null;
  const title = ['It did not end as it should', 'Não terminou como deveria'] as const;
  const text =
    error === null
      ? say('No answer is in the store.', 'Não há resposta armazenada.')
      : [problemWords(error, language), ' ', code(error.code)];
  return { title, blocks: { text } };
}

/** Reported lists without rows. */
function emptySection(names: readonly string[]): Section | null {
  if (names.length === 0) return null;
  const title = ['Asked for, and nothing there', 'Consultado, e nada consta'] as const;
  return { title, blocks: { text: names.join(' · ') } };
}

/** The possible next steps, each with its command. */
function stepsOf(
  { id, kind, needsAttention, status }: FindingsReport,
  reader: Reader,
): Block[] | null {
  if (!needsAttention) return null;
  const { actions } = attentionOf(kind, status, ['incomplete'], reader.say);
  const items = actions.map(
    ({ action, does }) => html`${sentence(does)} ${command(resolveLine(id, { action }, reader))}`,
  );
  return [{ text: sentence(whyOf(status, reader.say)) }, { items, ordered: true }];
}

/** Instants that a service reports, by field name. */
const knownTimes: Readonly<Record<string, Words>> = {
  created_at: ['accepted', 'aceito'],
  queued_at: ['attempt queued', 'tentativa na fila'],
  submitted_at: ['file received', 'arquivo recebido'],
  started_at: ['started', 'iniciado'],
  completed_at: ['completed', 'concluído'],
};

function timesOf({ findings }: FindingsReport, { say }: Reader): TimelineEvent[] {
  const result = fieldsOf(findings.result);
  // The last read of a dossier contains two responses.
  const answer = { ...result, ...fieldsOf(result['whole']), ...fieldsOf(result['status']) };
  const told = { ...answer, ...fieldsOf(answer['current_attempt']) };
  return Object.entries(knownTimes).flatMap(([name, words]): TimelineEvent[] => {
    const at = told[name];
    const what = `${say('At the service', 'No serviço')}: ${say(...words)}`;
    return typeof at === 'string' ? [{ at, what }] : [];
  });
}
