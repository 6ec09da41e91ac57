import { rowStatuses } from '../../../src/domain/certificates/certificates';
import { reportLanguages } from '../../../src/report/formats';
import { inPortuguese } from '../../../src/report/sentences-pt';
import { reportHtml, type Report } from '../../../src/report/certificates/page';
import { decision, issuedAfter, reportOf, rowOf } from './sample';
import { problemWords } from '../../../src/report/problem-words';
import { readerOf } from '../../../src/report/reader';
import { isFullSize, sized } from '../../support/full-size';

const manyIssued = Array.from({ length: 200 }, (_, n) =>
  issuedAfter(1_000 + n * 20, n * 100, { line: n + 2 }),
);
const oneOfEach = rowStatuses.map((status, at) => rowOf(status, { line: at + 300 }));
const full = reportOf([...manyIssued, ...oneOfEach], {}, [decision]);

/** The text that a reader sees, without what the figures of a picture say. */
const visible = (page: string): string =>
  page
    .replaceAll(/<(style|svg|details|title)[^]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe.each(reportLanguages)('a report in %s', (language) => {
  const write = (report: Report): string => reportHtml(report, language);

  it('loads nothing, and could not', () => {
    const page = write(full);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    const loading = /https?:|url\((?!#)|@import|<script|<link|<img|<iframe|<object| src=| href=/g;
    expect(page.match(loading)).toBeNull();
  });

  it('shows what came from a spreadsheet or a service as text, wherever it stands', () => {
    const hostile = `<script>alert("1")</script>'&`;
    const own = { reference: hostile, errorMessage: hostile, errorCode: hostile, note: hostile };
    const report = reportOf(
      [
        rowOf('failed', { ...own, certidaoId: hostile }),
        rowOf('unknown_outcome', own),
        rowOf('invalid', { ...own, document: hostile }),
        issuedAfter(1_000, 0, { classification: hostile }),
      ],
      { inputName: hostile, label: hostile, createdBy: hostile },
      [{ ...decision, by: hostile, note: hostile, externalId: hostile }],
    );
    const page = write(report);
    expect(page.match(/<script|alert\("/g)).toBeNull();
    expect(page.match(/&lt;script&gt;alert\(&quot;1&quot;\)/g)?.length).toBeGreaterThan(10);
  });

  it('has the head of the audit trail where the work has one', () => {
    const name = readerOf(language).say('Audit trail, head', 'Trilha de auditoria, cabeça');
    expect(visible(write(full))).not.toContain(name);
    const report = { ...full, summary: { ...full.summary, auditHead: '12-0a1b' } };
    expect(visible(write(report))).toContain(`${name} 12-0a1b`);
  });

  it('shows no document in the clear', () => {
    const documents = ['12345678909', '11222333000181'];
    const texts = ['123.456.789-09', '11.222.333/0001-81', ...documents];
    const rows = texts.flatMap((text) =>
      documents.map((document) => rowOf('failed', { document, reference: text, note: text })),
    );
    const work = { inputName: `lista ${texts[0]}.csv`, label: texts.join(' ') };
    const report = reportOf(rows, work, [{ ...decision, note: texts.join(' ') }]);
    const page = write(report);
    expect(page).toContain('***.456.789-**');
    for (const text of texts) expect(page).not.toContain(text);
  });

  it('gives every row that needs a person its own command', () => {
    const page = visible(write(full));
    const lineOf = (status: string): number => 300 + rowStatuses.findIndex((one) => one === status);
    for (const status of ['unknown_outcome', 'failed', 'expired', 'cancelled']) {
      expect(page).toContain(`--line ${lineOf(status)} --action`);
    }
    expect(page).toContain('diligence certificate batch --input fornecedores.csv');
  });

  it('does not offer to buy again what the service calls final, all of it at once', () => {
    const final = rowOf('failed', { line: 7, retryable: false });
    const page = visible(write(reportOf([final, rowOf('failed')])));
    expect(page).toContain('--line 7 --action reissue');
    expect(page).not.toContain('--status failed --action reissue');
  });

  it('has different ids in its pictures, each of which says what it shows', () => {
    const page = write(full);
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((found) => found[1]);
    expect(ids.length).toBeGreaterThan(7);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, labels] of page.matchAll(/aria-labelledby="([^"]*)"/g)) {
      expect(ids).toEqual(expect.arrayContaining(labels?.split(' ') ?? []));
    }
    expect(page.match(/<svg/g)).toHaveLength(4);
  });

  it('draws the same twice', () => {
    expect(write(full)).toBe(write(full));
  });

  it('draws nothing when nothing was issued', () => {
    const page = write(reportOf([rowOf('unknown_outcome'), rowOf('invalid')]));
    expect(page.includes('<svg')).toBe(false);
    expect(page.match(/NaN|Infinity|undefined|null/g)).toBeNull();
  });

  it('draws nothing of what it cannot place in time', () => {
    const page = write(reportOf([issuedAfter(1, 0, { completedAt: null })]));
    expect(page.includes('<svg')).toBe(false);
  });

  it('of one row, of a single issuance, and of none is whole', () => {
    const single = { kind: 'certificate', inputName: null, inputSha256: null } as const;
    for (const report of [
      reportOf([issuedAfter(3_000)]),
      reportOf([issuedAfter(0)], single),
      reportOf([rowOf('expired')], single),
      reportOf([]),
    ]) {
      const page = write(report);
      expect(page).toMatch(/<\/html>\n$/);
      expect(page.match(/NaN|Infinity|undefined|null/g)).toBeNull();
    }
  });

  it('of very many rows stays a file to mail, and says how many it does not list', () => {
    const many = sized(20_000, 100_000);
    const rows = (function* () {
      for (let n = 0; n < many; n += 1) {
        yield n % 2 === 0 ? rowOf('failed', { line: n }) : issuedAfter(n * 7, n * 11, { line: n });
      }
    })();
    const page = write(reportOf(rows));
    expect(page.length).toBeLessThan(500_000);
    expect(page).toMatch(isFullSize ? /49[.,]750/ : /9[.,]750/);
  });
});

describe('the languages', () => {
  it('have the numbers, dates and hours of their readers, in the same time zone', () => {
    const rows = Array.from({ length: 1_234 }, (_, n) => issuedAfter(3_400, n * 100));
    const report = reportOf(rows);
    const [english, portuguese] = [reportHtml(report, 'en'), reportHtml(report, 'pt')].map(visible);
    expect(english).toContain('1,234 lines. Nothing is left to do.');
    expect(english).toContain('03 Nov 2026, 18:00:00');
    expect(english).toContain('Median wait 3.4 s');
    expect(portuguese).toContain('1.234 linhas. Não há nada pendente.');
    expect(portuguese).toContain('03/11/2026, 18:00:00');
    expect(portuguese).toContain('Espera mediana 3,4 s');
    for (const page of [english, portuguese]) expect(page).toContain('America/Sao_Paulo');
  });

  it('say in Portuguese what this program stored in English, and leave what others said', () => {
    const message = (code: string, category: string) =>
      problemWords({ code, category, message: 'as told' }, 'pt');
    expect(message('wrong_digits', 'input')).toBe('Os dígitos verificadores não conferem.');
    expect(message('http_422', 'refused')).toBe('O serviço recusou o pedido (http_422).');
    expect(message('fonte_indisponivel', 'source')).toBe('as told');
    expect(inPortuguese('2 leading zeros restored; a word of the user')).toBe(
      '2 zeros à esquerda restaurados; a word of the user',
    );
  });
});
