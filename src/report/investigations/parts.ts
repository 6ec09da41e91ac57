import { punctuateDocument } from '../../domain/core/documents/documents';
import type { CoverageRow, Finding } from '../../domain/investigations/report';
import { html, type Content, type Html } from '../html';
import { graphPart } from './graph';
import { badge, block, card, cellText, day, label, note, table } from './page';
import type { Page } from './page';

/** Sections by kind of step. */
export const sectionKinds = {
  certificates: 'certificate',
  assets: 'profile',
  occurrences: 'trace',
  pictures: 'lens',
  risk: 'dossier',
  credit: 'credit',
  changes: 'monitor',
} as const;

/** Whether the plan has a step of the kind. */
export function isPlanned({ report }: Page, section: keyof typeof sectionKinds): boolean {
  return report.coverage.some(({ kind }) => kind === sectionKinds[section]);
}

/** Whether a step of the kind had a subject to request. */
export function isRequested({ report }: Page, section: keyof typeof sectionKinds): boolean {
  return report.coverage.some(
    ({ requested, kind }) => kind === sectionKinds[section] && requested > 0,
  );
}

/** Why a section is empty. */
export function absence(page: Page, section: keyof typeof sectionKinds): string {
  return isRequested(page, section) ? page.texts.noAnswer : page.texts.notRequested;
}

export function subjectPart(page: Page): Html {
  const { report, texts } = page;
  const known = Object.entries(report.subject).flatMap(([word, value]): [string, string[]][] => {
    const values = value === null ? [] : Array.isArray(value) ? value : [value];
    return values.length === 0 ? [] : [[word, values]];
  });
  return card(
    texts.subject,
    html`<dl class="details">
      ${known.map(
        ([word, values]) =>
          html`<dt>${label(page, `subject.${word}`)}</dt>
            <dd>
              ${values.map((value) => html`<span class="block">${isDocument(word) ? punctuateDocument(value) : value}</span>`)}
            </dd>`,
      )}
    </dl>`,
  );
}

function isDocument(word: string): boolean {
  return word === 'cnpj' || word === 'cpf';
}

export function findingsPart(page: Page): Html {
  const { report, texts } = page;
  const shown = (finding: Finding): Content[] => [
    [finding.step, block(label(page, finding.kind))],
    finding.status === null ? '' : label(page, finding.status),
    finding.facts.map(
      ({ value, what }) =>
        html`<span class="fact"
          ><span class="muted">${label(page, what)}</span> ${
            what === 'rural' ? label(page, String(value)) : cellText(page, value)
          }</span
        >`,
    ),
  ];
  const { facts, step, status } = texts.columns;
  return card(
    texts.findings,
    note(texts.findingsIntro),
    report.findings.length === 0
      ? note(texts.none)
      : table(
          [{ name: step, share: 20 }, { name: status, share: 18 }, { name: facts }],
          report.findings.map(shown),
        ),
  );
}

export function coveragePart(page: Page): Html {
  const { formats, report, texts } = page;
  const sum = (of: 'requested' | 'answered'): string =>
    formats.number(report.coverage.reduce((count, row) => count + row[of], 0));
  const { answered, needs, status, step, why } = texts.columns;
  const left = (Object.keys(sectionKinds) as (keyof typeof sectionKinds)[])
    .filter((section) => !isPlanned(page, section))
    .map((section) => texts[section].toLocaleLowerCase(texts.locale));
  const shown = (row: CoverageRow): Content[] => [
    [
      row.step,
      block(`${label(page, row.kind)}, ${row.required ? texts.required : texts.optional}`),
    ],
    row.needs.join(', '),
    badge(page, row.status),
    row.requested === 0 ? '' : `${formats.number(row.answered)} / ${formats.number(row.requested)}`,
    row.why === null ? '' : texts.why(row.why),
  ];
  return card(
    texts.coverage,
    note(texts.coverageIntro(sum('answered'), sum('requested'))),
    table(
      [
        { name: step, share: 22 },
        { name: needs, share: 18 },
        { name: status, share: 16 },
        { name: answered, share: 12 },
        { name: why },
      ],
      report.coverage.map(shown),
    ),
    left.length === 0 ? null : note(`${texts.notInPlan} ${left.join(', ')}.`),
    html`<div class="whole">
      <h3 class="after">${texts.graph}</h3>
      ${note(texts.graphWords)} ${graphPart(page)}
    </div>`,
  );
}

export function certificatesPart(page: Page): Html | null {
  const { formats, report, texts } = page;
  if (!isPlanned(page, 'certificates')) return null;
  const { columns } = texts;
  const rows = report.certificates.map((row): Content[] => [
    [punctuateDocument(row.document), block(row.step)],
    label(page, row.type),
    label(page, row.status),
    [
      row.officialName,
      block(row.holderName === row.officialName ? null : row.holderName),
      block(row.divergent === true ? `${label(page, 'divergent')}: ${row.baseName ?? '-'}` : null),
      block(row.classification),
    ],
    [row.capturedAt === null ? '' : formats.instant(row.capturedAt), block(row.sourceName)],
    row.validity === null
      ? block(row.file === null ? null : texts.noRule)
      : [day(page, row.validity.validUntil), block(row.validity.rule)],
    fileLink(row.file),
  ]);
  const rules = new Set(
    report.certificates.flatMap(({ validity }) =>
      validity === null ? [] : [`${validity.rule}: ${validity.source}.`],
    ),
  );
  const names: [string, number][] = [
    [columns.document, 20],
    [columns.type, 13],
    [columns.status, 10],
    [`${columns.officialName}; ${columns.classification.toLocaleLowerCase(texts.locale)}`, 18],
    [columns.capturedAt, 13],
    [columns.validUntil, 13],
    [columns.file, 13],
  ];
  return card(
    texts.certificates,
    ...(rows.length === 0
      ? [note(absence(page, 'certificates'))]
      : [
          note([texts.certificatesIntro, ...rules].join(' ')),
          table(
            names.map(([name, share]) => ({ name, share })),
            rows,
          ),
        ]),
  );
}

export function divergencesPart(page: Page): Html | null {
  const { report, texts } = page;
  if (report.divergences.length === 0) return null;
  const { columns } = texts;
  return card(
    texts.divergences,
    note(texts.divergencesIntro),
    report.divergences.map(
      ({ about, document, values }) =>
        html`<h3 class="after">${punctuateDocument(document)}: ${label(page, about)}</h3>
          ${table(
            [{ name: columns.value }, { name: columns.source }],
            values.map(({ sources, value }) => [
              html`<strong>${value}</strong>`,
              sources.map(
                (source) =>
                  html`<span class="block"
                    >${source === 'as asked' ? label(page, source) : source}</span
                  >`,
              ),
            ]),
          )}`,
    ),
  );
}

/** Relative to the page. */
export function fileLink(path: string | null): Html | null {
  if (path === null) return null;
  const href = path.split('/').map(encodeURIComponent).join('/');
  return html`<a class="file" href="${href}">${path.slice(path.lastIndexOf('/') + 1)}</a>`;
}
