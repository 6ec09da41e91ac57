import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { creditCommand } from '../../src/starters/credit/commands';
import { reportError } from '../../src/starters/cli/errors';
import { badFiles, badZips, type BadInput } from '../support/bad-inputs';
import { cnabFile, testReceivable, type FileTerms } from '../support/cnab-files';
import { CreditInstallation, centsOf, sha256Of, sheetRows } from '../support/credit-installation';
import { invoiceXml, testInvoice } from '../support/invoice-files';
import { zipFile } from '../support/zip-files';

const receivables = 12;

/** Another number of receivables makes another file, and so another analysis. */
const layouts: Record<string, FileTerms> = {
  bradesco: { bank: 'bradesco', receivables },
  itau: { bank: 'itau', receivables },
  santander: { bank: 'santander', receivables },
  'banco-do-brasil': { bank: 'bancoDoBrasil', receivables },
  sicoob: { bank: 'sicoob', receivables },
  banrisul: { bank: 'banrisul', receivables },
  'banco-do-nordeste': { bank: 'bancoDoNordeste', receivables },
  'paulista-444': { bank: 'paulista', receivables },
  'itau-mixed-444': { bank: 'itau', shape: 'mixed', receivables },
  crlf: { bank: 'bradesco', lineEnd: '\r\n', receivables },
  // One byte 0xC7 each, as files of banks have them.
  latin1: {
    bank: 'paulista',
    assignorName: 'CONFECÇÕES INVENTADAS LTDA',
    receivables: [{ ...testReceivable(0), payerName: 'ALIMENTAÇÃO INVENTADA SA' }],
  },
  thousand: { bank: 'paulista', receivables: 1_000 },
};

describe('what is handed to credit analyze', () => {
  let place: CreditInstallation;

  beforeAll(async () => {
    place = await CreditInstallation.start({ env: { CREDIT_RPS: '100' } });
  }, 120_000);
  afterAll(() => place.stop(), 60_000);

  describe('and is refused by the local scan', () => {
    beforeAll(() => Object.assign(process.env, place.installation.env));
    afterEach(() => {
      process.exitCode = undefined;
      jest.restoreAllMocks();
    });

    async function filesOf({ cnab, zip }: BadInput): Promise<string[]> {
      const path = await place.write('bad.rem', cnab);
      return zip === undefined
        ? ['--input', path]
        : ['--input', path, '--xmls', await place.write('bad.zip', zip)];
    }

    /** The command itself, in this process: a process each would take minutes. */
    async function analyzeHere(words: string[]): Promise<{ code: unknown; told: string }> {
      const told: string[] = [];
      const write = (text: unknown): boolean => told.push(String(text)) > 0;
      jest.spyOn(process.stdout, 'write').mockImplementation(write);
      jest.spyOn(process.stderr, 'write').mockImplementation(write);
      try {
        await creditCommand().parseAsync(['analyze', ...words], { from: 'user' });
      } catch (error) {
        process.exitCode = reportError(error);
      }
      jest.restoreAllMocks();
      return { code: process.exitCode, told: told.join('') };
    }

    function expectRefusal({ says, isWhole }: BadInput, told: string): void {
      expect(told).toMatch(says);
      expect(told).toMatch(/refused by the local scan \([^)]+\), nothing was sent/);
      const hasPlace = /: (line \d+, columns? \d|entry \S+: )/.test(told);
      expect(hasPlace).toBe(isWhole !== true);
    }

    async function expectNothingSent(): Promise<void> {
      expect(place.sandbox.credit.received()).toEqual([]);
      const listed = await place.installation.run(['list', '--json']);
      expect(JSON.parse(listed.stdout)).toMatchObject({ jobs: [] });
    }

    const all = [...badFiles, ...badZips];
    const named = (wanted: string): BadInput => {
      const found = all.find(({ name }) => name === wanted);
      if (found === undefined) throw new Error(`no bad input is called ${wanted}`);
      return found;
    };
    const gap = named('a gap in the sequence');

    test(`${all.length} bad inputs end with 2 and say where; nothing is sent, the files stay`, async () => {
      const wrong: string[] = [];
      for (const bad of all) {
        const words = await filesOf(bad);
        const { code, told } = await analyzeHere(words);
        try {
          expectRefusal(bad, told);
          expect(code).toBe(2);
          expect((await readFile(words[1] ?? '')).equals(bad.cnab)).toBe(true);
        } catch (error) {
          wrong.push(`${bad.name}: ${(error as Error).message}`);
        }
      }
      expect(wrong).toEqual([]);
      await expectNothingSent();
    }, 120_000);

    test.each([named('an empty file'), gap, named('a ZIP without any NF-e')])(
      'as a process, $name ends with 2 as well',
      async (bad) => {
        const words = ['credit', 'analyze', ...(await filesOf(bad))];
        const { code, stdout, stderr } = await place.installation.run(words);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expectRefusal(bad, stderr);
      },
      60_000,
    );

    test('a file that is not there, and a folder without any, end with 2', async () => {
      const missing = await analyzeHere(['--input', join(place.folder, 'none.rem')]);
      expect(missing).toMatchObject({
        code: 2,
        told: expect.stringMatching(/none\.rem: there is no such file/),
      });
      const folder = await mkdtemp(join(place.folder, 'empty-'));
      const empty = await analyzeHere(['--input', folder]);
      expect(empty).toMatchObject({ code: 2, told: expect.stringMatching(/holds no \.rem file/) });
      await expectNothingSent();
    }, 60_000);

    test('no reason makes a file go that no bank can read, and a reason is asked for', async () => {
      const empty = ['--input', await place.write('bad.rem', Buffer.alloc(0))];
      expect((await analyzeHere([...empty, '--force', 'they asked for it'])).code).toBe(2);
      const cut = ['--input', await place.write('bad.rem', gap.cnab)];
      expect((await analyzeHere([...cut, '--force', ' '])).code).toBe(2);
      await expectNothingSent();
    }, 60_000);
  });

  describe('and can be sent', () => {
    const results = new Map<string, Awaited<ReturnType<CreditInstallation['analyze']>>>();

    // Three side by side: most of the time of a command is its start.
    beforeAll(async () => {
      const names = Object.keys(layouts);
      const next = async (): Promise<void> => {
        for (let name = names.shift(); name !== undefined; name = names.shift()) {
          await writeFile(join(place.folder, `${name}.rem`), cnabFile(layouts[name]));
          results.set(name, await place.analyze(`${name}.rem`));
        }
      };
      await Promise.all([next(), next(), next()]);
    }, 240_000);

    test.each(Object.entries(layouts))(
      '%s arrives byte for byte, and its result is written out whole',
      async (name, terms) => {
        const bytes = cnabFile(terms);
        const wanted = terms.receivables;
        const expected =
          typeof wanted === 'number'
            ? Array.from({ length: wanted }, (_, index) => testReceivable(index))
            : [...(wanted ?? [])];
        const { code, stderr, shown } = results.get(name) ?? {};
        expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
        const { outcome, folder } = shown ?? {};
        expect(outcome).toMatchObject({ status: 'completed', result: { contradictions: [] } });

        const uploads = place.uploads(`${name}.rem`);
        expect(uploads).toHaveLength(1);
        expect(uploads[0]?.parts).toEqual([
          expect.objectContaining({ bytes: bytes.length, sha256: sha256Of(bytes) }),
        ]);
        expect(place.started(`${name}.rem`)).toBe(1);

        const rows = await sheetRows(folder ?? '', 'titulos.csv');
        const shownRow = ({
          numero,
          data_vencimento,
          sacado_cnpj_cpf,
          nfe_chave,
        }: Record<string, string>) =>
          [numero, data_vencimento, sacado_cnpj_cpf, nfe_chave].join(' ');
        const wantedRow = ({ number, due, payer, invoiceKey }: (typeof expected)[number]) => {
          const date = `20${due.slice(4)}-${due.slice(2, 4)}-${due.slice(0, 2)}`;
          const has444 = terms.bank === 'paulista' || terms.shape === 'mixed';
          return [number, date, payer, has444 ? invoiceKey : ''].join(' ');
        };
        expect(rows.map(shownRow).sort()).toEqual(expected.map(wantedRow).sort());
        const total = expected.reduce((sum, { cents }) => sum + BigInt(cents), 0n);
        expect(centsOf(rows.map(({ valor }) => valor ?? ''))).toBe(total);

        const stored = outcome && (await place.stored(outcome));
        const operationId = outcome?.operationId ?? '';
        for (const filter of ['issues', 'all'] as const) {
          expect(stored?.[filter]).toBe(await place.served(operationId, filter));
        }
        expect(await readFile(join(folder ?? '', 'result.json'), 'utf8')).toBe(stored?.all);
        const tree = JSON.parse(stored?.all ?? '') as {
          cedente: { razaoSocial: string; sacados: { razaoSocial: string }[] };
          summary: { totalTitulos: number; totalValue: number };
        };
        expect(tree.summary).toMatchObject({
          totalTitulos: expected.length,
          totalValue: Number(total) / 100,
        });
        if (name === 'latin1') {
          expect(tree.cedente.razaoSocial).toBe('CONFECÇÕES INVENTADAS LTDA');
          expect(tree.cedente.sacados[0]?.razaoSocial).toBe('ALIMENTAÇÃO INVENTADA SA');
        }
        const page = await readFile(join(folder ?? '', 'report.html'), 'utf8');
        expect(page).toContain(`${name}.rem`);
      },
    );

    test('with the ZIP of its invoices, both arrive byte for byte, and the rules use them', async () => {
      const bytes = cnabFile({ bank: 'paulista', receivables: 4 });
      // Receivables 1 and 2 are of invoice 1, the others of invoice 2, which is not there.
      const zip = zipFile([{ name: 'nfe-1.xml', content: invoiceXml(testInvoice()) }]);
      await place.write('with-zip.rem', bytes);
      await place.write('with-zip.zip', zip);
      const { code, stderr, shown } = await place.analyze(
        'with-zip.rem',
        '--xmls',
        'with-zip.zip',
        '--filter',
        'issues',
      );
      expect(code).toBe(0);
      expect(stderr).toMatch(/line 4, columns 395-438: warning \(invoice_missing\)/);
      expect(place.uploads('with-zip.rem').map(({ parts }) => parts)).toEqual([
        [
          expect.objectContaining({ fileName: 'with-zip.rem', sha256: sha256Of(bytes) }),
          expect.objectContaining({
            name: 'xmls',
            fileName: 'with-zip.zip',
            sha256: sha256Of(zip),
          }),
        ],
      ]);
      const folder = shown?.folder ?? '';
      const rows = await sheetRows(folder, 'titulos.csv');
      const blocked = rows.filter(({ status }) => status === 'blocked');
      expect(rows).toHaveLength(4);
      const issues = await sheetRows(folder, 'issues.csv');
      const withoutXml = issues.filter((one) => one.rule_id === 'nfe_nao_encontrada');
      expect(withoutXml.map(({ name }) => name)).toEqual(['0000002/1', '0000002/2']);
      const counted = rows.reduce((sum, { issue_count: count }) => sum + Number(count), 0);
      expect(issues.filter(({ level }) => level === 'titulo')).toHaveLength(counted);
      const tree = await readFile(join(folder, 'result.json'), 'utf8');
      const stored = shown && (await place.stored(shown.outcome));
      expect(tree).toBe(stored?.issues);
      expect(shown?.outcome.result?.summary).toMatchObject({
        receivables: 4,
        blocked: blocked.length,
      });
      expect(blocked.length).toBeGreaterThan(0);
    }, 60_000);
  });
});
