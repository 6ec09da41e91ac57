import { attentionOf, whyOf, type ActionMeaning } from '../../domain/attention';
import type { JobKind } from '../../domain/job';
import { resolveLine } from '../command-line';
import type { ReportLanguage } from '../formats';
import { html, type Content, type Html } from '../html';
import { htmlPage } from '../html-page';
import {
  aboutPart,
  cardPart,
  commandPart,
  evidencePart,
  factsPart,
  leftPart,
  tilesPart,
  timelinePart,
} from '../parts';
import { problemWords } from '../problem-words';
import { type Reader, readerOf } from '../reader';
import { nameOf, pathName, sentence, statusWord } from '../words';
import { dossierPart } from './dossier';
import { lensPart } from './lens';
import { profilePart } from './profile';
import { costWords, type FindingsReport, type PartOf, type SpecialPart } from './report';
import { cellContent, emptyPart, sectionPart } from './section';
import { timesOf } from './times';
import { tracePart } from './trace';

const specials: Readonly<Partial<Record<JobKind, PartOf>>> = {
  trace: tracePart,
  lens: lensPart,
  dossier: dossierPart,
  profile: profilePart,
};

/** One page that loads nothing and runs nothing; texts of the service are escaped. */
export function findingsHtml(report: FindingsReport, language: ReportLanguage): string {
  const reader = readerOf(language);
  const { say } = reader;
  const special = specials[report.kind]?.(report, reader) ?? plainPart(report, reader);
  const { kicker, headline, tiles, parts = [], more = [], views = {} } = special;
  const shown = report.findings.sections.filter(({ title }) => views[title] !== null);
  const sections = shown
    .filter(({ rows }) => rows.length > 0)
    .map((section) => sectionPart(reader, section, views[section.title] ?? null));
  const cost = costWords(report.cost, reader);
  const about = say(
    'Rows are as the service sent them, but for documents, which are masked. The files beside this page hold all of it.',
    'As linhas estão como o serviço as enviou, com os documentos mascarados. Os arquivos ao lado desta página trazem tudo.',
  );
  return htmlPage(reader, {
    kicker,
    title: report.subject,
    headline,
    when: `${statusWord(report.status, language)} · ${reader.formats.instant(report.settledAt)}`,
    hasPictures: report.picture !== null,
    main: html`${tilesPart([...tiles, { name: say('Cost', 'Custo'), ...cost }])}
    ${errorPart(report, reader)} ${parts} ${sections}
    ${emptyPart(
      reader,
      shown.filter(({ rows }) => rows.length === 0),
    )}
    ${more} ${stepsPart(report, reader)} ${timelinePart(reader, timesOf(report, reader))}
    ${answerPart(report, reader)} ${evidencePart(reader, report.files)}
    ${detailsPart(report, reader)}`,
    about,
    writtenAt: report.writtenAt,
  });
}

/** For kinds without a special part. */
function plainPart({ findings, kind }: FindingsReport, { formats, language }: Reader): SpecialPart {
  const tiles = findings.sections.map(({ rows, title }) => {
    return { name: nameOf(title, language), value: formats.number(rows.length) };
  });
  const headline = tiles.map(({ name, value }) => `${name}: ${value}`).join(', ');
  return { kicker: nameOf(kind, language), headline, tiles: tiles.slice(0, 5) };
}

function errorPart({ error, findings }: FindingsReport, { language, say }: Reader): Html | null {
  if (error !== null) {
    const title = say('It did not end as it should', 'Não terminou como deveria');
    const code = error.code === null ? null : html` <code>${error.code}</code>`;
    return cardPart(title, html`<p>${problemWords(error, language)}${code}</p>`);
  }
  if (findings.result !== null) return null;
  const title = say('No answer', 'Sem resposta');
  const words = say('No answer is in the store.', 'Não há resposta armazenada.');
  return cardPart(title, html`<p>${words}</p>`);
}

/** The possible next steps, each with its command. */
function stepsPart(report: FindingsReport, reader: Reader): Html {
  const { say } = reader;
  if (!report.needsAttention) return leftPart(reader, null);
  const { actions } = attentionOf(report.kind, report.status, ['incomplete'], say);
  const step = ({ action, does }: ActionMeaning): Html => {
    return html`<li>
      ${sentence(does)}
      ${commandPart(resolveLine(report.id, { action, note: say('reason', 'motivo') }))}
    </li>`;
  };
  return leftPart(
    reader,
    html`<p>${sentence(whyOf(report.status, say))}</p>
      <ol>
        ${actions.map(step)}
      </ol>`,
  );
}

function answerPart({ findings }: FindingsReport, reader: Reader): Html | null {
  const facts = Object.entries(findings.facts).map(([path, value]): [string, Content] => [
    pathName(path, reader.language),
    cellContent(reader, path, value),
  ]);
  if (facts.every(([, content]) => content === null || content === '')) return null;
  const title = reader.say('The answer', 'A resposta');
  return cardPart(title, factsPart(facts));
}

function detailsPart(report: FindingsReport, reader: Reader): Html {
  const { formats, language, say } = reader;
  return aboutPart(reader, [
    ['Id', html`<code>${report.id}</code>`],
    [say('Label', 'Rótulo'), report.label],
    [say('Status', 'Situação'), statusWord(report.status, language)],
    [say('Started by', 'Iniciado por'), report.createdBy],
    [say('Started', 'Início'), formats.instant(report.createdAt)],
    [say('Ended', 'Fim'), formats.instant(report.settledAt)],
  ]);
}
