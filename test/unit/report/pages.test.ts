import { reportLanguages } from '../../../src/report/formats';
import { findingSection } from '../../../src/domain/core/findings';
import { findingsHtml } from '../../../src/report/findings/page';
import { hostile, sandboxAnswers, type Answers } from '../../support/report-answers';
import { reportPages } from '../../support/report-pages';

/** What holds for the page of every kind; how they look in a browser is tested in the long layer. */

let answers: Answers;
const pages: Record<string, Map<string, string>> = {};
beforeAll(async () => {
  answers = await sandboxAnswers();
  for (const language of reportLanguages) pages[language] = await reportPages(answers, language);
});

const kinds = [
  'certificates',
  'credit',
  'monitors',
  'batch',
  'profile',
  'trace',
  'lens-geo',
  'lens-face',
  'dossier',
];

function pageOf(language: string, kind: string): string {
  const page = pages[language]?.get(kind);
  if (page === undefined) throw new Error(`no page of ${kind}`);
  return page;
}

/** What a reader sees. */
const textOf = (page: string) =>
  page.replaceAll(/<(style|svg|details)[^]*?<\/\1>|<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe.each(reportLanguages)('in %s', (language) => {
  test.each(kinds)('the page of %s loads nothing and runs nothing that others wrote', (kind) => {
    const page = pageOf(language, kind);
    expect(page).toContain(`default-src 'none'`);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|<object|@import|url\((?!#)| src=| on\w+=/);
    // Shown as text, where a hostile word went in.
    if (kind !== 'profile' && kind !== 'lens-geo') {
      expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;');
    }
    expect(page).not.toContain(hostile);
    for (const [, address = ''] of page.matchAll(/ href="([^"]*)"/g)) {
      expect(address).toMatch(/^(?:https:\/\/rede\.example\/|pages\/\d+\.html$|data:image\/png)/);
    }
  });

  test.each(kinds)('the page of %s is whole, and shows no document', (kind) => {
    const page = pageOf(language, kind);
    expect(page).toMatch(/<\/html>\n$/);
    const text = textOf(page);
    expect(text).not.toMatch(/\b(?:NaN|Infinity|undefined|null|\[object)\b/);
    expect(text).toContain('America/Sao_Paulo');
    expect(text).not.toMatch(/52998224725|529\.982\.247-25/);
  });

  test('a job that needs a person has every decision with its command', () => {
    const text = textOf(pageOf(language, 'dossier'));
    expect(text).toMatch(/diligence resolve dossier\/\S+ --action watch --note/);
    expect(text).toMatch(/--action acknowledge/);
  });
});

test('the same input makes the same bytes', async () => {
  expect(await reportPages(answers, 'pt')).toEqual(pages['pt']);
});

test.each(kinds)('the page of %s has no heading of ours in the other language', (kind) => {
  const headings = (page: string) =>
    [...page.matchAll(/<(?:h2|dt)>([^<]+)</g)].map(([, words = '']) => words.trim());
  const english = new Set(headings(pageOf('en', kind)));
  const both = headings(pageOf('pt', kind)).filter((words) => english.has(words));
  // Words of both languages, and of the service.
  const known = /^(?:Id|Total|Drones|Monitor|Títulos|Rural .*|Matrix id|Mode|\W*)$/;
  expect(both.filter((words) => !known.test(words))).toEqual([]);
});

describe('what each page tells', () => {
  test('a search: occurrences by source, with confidence and link', () => {
    const text = textOf(pageOf('en', 'trace'));
    expect(text).toContain('3 occurrences in 2 sources. Some sources did not answer.');
    expect(text).toMatch(/redes_sociais 2 66\.7%.* vazamentos 1 33\.3%/);
    expect(text).toMatch(/redes_sociais 97% https:\/\/rede\.example\/ana\.s ana\.s/);
    expect(pageOf('en', 'trace')).not.toContain('href="javascript:');
  });

  test('a picture: places on a map, faces marked where the service tells where', () => {
    const geo = pageOf('pt', 'lens-geo');
    // Two places, in a drawing for the desk and one for the telephone, over the outlines of a country.
    expect(geo.match(/fill="var\(--bad\)"/g)).toHaveLength(4);
    expect(geo).toMatch(/<desc[^>]*>1: Local simulado 1 \d+\.\d{4}° [NS]/);
    expect(geo).toMatch(/fill="var\(--card\)"/);
    const face = pageOf('en', 'lens-face');
    expect(face.match(/<rect[^>]*class="face"/g)).toHaveLength(2);
    expect(textOf(face)).toContain('2 faces.');
  });

  test('a dossier: risk, the rules that matched, phases and attempts', () => {
    const text = textOf(pageOf('pt', 'dossier'));
    expect(text).toMatch(
      /Risco: (?:alto|medio)\. 2 regras acionadas\. O serviço tem dados mais novos/,
    );
    expect(text).toContain('Processos ativos (simulados)');
    expect(text).toMatch(/2 Concluído 61 tokens cobrado/);
    expect(text).toMatch(/patrimonio Concluído/);
  });

  test('a dossier: a rule without points has none, not 0', () => {
    const rules = [{ id: 'R1', description: 'alerta', score: null }];
    const section = findingSection('risk.matched_rules', rules, { file: 'rules.csv' });
    const page = findingsHtml(
      {
        kind: 'dossier',
        id: 'dossier/a/1',
        subject: '',
        status: 'completed',
        label: null,
        needsAttention: false,
        createdBy: 'ana',
        createdAt: '',
        settledAt: '',
        error: null,
        findings: { result: {}, facts: {}, sections: [section] },
        outcome: { risk: null, stale: null, attempts: [], stored: [], notStored: [] },
        cost: [],
        files: [],
        picture: null,
        writtenAt: 0,
      },
      'en',
    );
    expect(textOf(page)).toContain('alerta – R1');
  });

  test('an analysis: concentration, due dates, and the rules that fired', () => {
    const text = textOf(pageOf('en', 'credit'));
    expect(text).toMatch(/Concentration: payers by value/);
    expect(text).toMatch(/Due dates: value by month/);
    expect(text).toMatch(/R\$[\d,]+\.\d\d/);
  });

  test('changes: the fields that differ, before and after, by the name of the monitor', () => {
    const text = textOf(pageOf('pt', 'monitors'));
    expect(text).toMatch(/Socios: 0 .*Socios: 1/);
    expect(text).not.toMatch(/Capital: 1000/);
    expect(text).toContain('EmpreendimentosImobiliarios');
  });

  test('a batch: rows with sums that count each job once, and links to pages', () => {
    const text = textOf(pageOf('pt', 'batch'));
    expect(text).toMatch(/R\$\s700\.001,00/);
    expect(pageOf('pt', 'batch')).toContain('href="pages/2.html"');
    expect(text).toContain('3 linhas precisam de uma pessoa.');
  });
});
