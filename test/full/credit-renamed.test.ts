import {
  startSandbox,
  type CreditNamesInput,
  type Sandbox,
  type ScenarioInput,
} from '../../src/sandbox';
import { cnabFile } from '../support/cnab-files';
import {
  CreditInstallation,
  fileNameOf,
  sha256Of,
  uploadsOf,
} from '../support/credit-installation';
import { creditSettings } from '../support/diligence-process';
import { invoiceXml, testInvoice } from '../support/invoice-files';
import { zipFile } from '../support/zip-files';

/** Nothing is called as we would guess. */
const creditNames = {
  filePart: 'remessa',
  enginePart: 'motorDeRegras',
  idField: 'protocolo',
  statusField: 'situacao',
  words: {
    queued: 'na_fila',
    processing: 'em_analise',
    completed: 'concluida',
    failed: 'rejeitada',
  },
  engineList: 'motores',
} as const satisfies CreditNamesInput;

const scenario: ScenarioInput = {
  credit: {
    analysis: { waitingMs: [0, 0], processingMs: [1_500, 1_500] },
    files: { 'rejected.rem': { end: 'failed' } },
  },
};

describe('a credit service whose parts, fields and words have other names', () => {
  let place: CreditInstallation;
  const others: Sandbox[] = [];

  beforeAll(async () => {
    place = await CreditInstallation.start({ scenario, creditNames });
  }, 120_000);
  afterAll(async () => {
    await place.stop();
    for (const other of others) await other.close();
  }, 120_000);

  /** The same installation, and a worker that speaks to another service. */
  async function serviceWith(names: CreditNamesInput): Promise<Sandbox> {
    const other = await startSandbox({ scenario, creditNames: names });
    others.push(other);
    await place.installation.stopWorkers();
    await place.installation.startWorker(creditSettings(other));
    return other;
  }

  test('analyses a file with its invoices under an engine chosen by name, with nothing configured', async () => {
    expect(
      Object.keys(place.installation.env).filter((name) =>
        /^CREDIT_(FILE|ENGINE|ID|STATUS|FAILED)/.test(name),
      ),
    ).toEqual([]);
    const bytes = cnabFile({ bank: 'paulista', receivables: 5 });
    const zip = zipFile([{ name: 'nfe-1.xml', content: invoiceXml(testInvoice()) }]);
    await place.write('renamed.rem', bytes);
    await place.write('renamed.zip', zip);
    const { code, stderr, shown } = await place.analyze(
      'renamed.rem',
      '--xmls',
      'renamed.zip',
      '--engine',
      'Conservador',
    );
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const [upload, ...more] = place.uploads('renamed.rem');
    expect(more).toEqual([]);
    expect(upload?.parts.map(({ name }) => name)).toEqual(['remessa', 'xmls', 'motorDeRegras']);
    expect(upload?.parts.map(({ sha256 }) => sha256).slice(0, 2)).toEqual(
      [bytes, zip].map(sha256Of),
    );
    const engine = place.sandbox.credit.state().engines.find(({ name }) => name === 'Conservador');
    expect(shown?.outcome).toMatchObject({
      status: 'completed',
      operationId: upload?.id,
      statusWord: 'concluida',
      result: { engineId: engine?.id, contradictions: [] },
    });
    const operationId = shown?.outcome.operationId ?? '';
    const stored = shown && (await place.stored(shown.outcome));
    for (const filter of ['issues', 'all'] as const) {
      expect(stored?.[filter]).toBe(await place.served(operationId, filter));
    }
  }, 120_000);

  test('knows a failed operation by a word of its own', async () => {
    await place.write('rejected.rem', cnabFile({ receivables: 6 }));
    const { code, shown } = await place.analyze('rejected.rem');
    expect(code).toBe(1);
    expect(shown?.outcome).toMatchObject({
      status: 'failed',
      statusWord: 'rejeitada',
      error: { code: 'analysis_failed' },
    });
  }, 120_000);

  const refusals: [what: string, names: CreditNamesInput, code: string, says: RegExp][] = [
    [
      'a part that we do not know',
      { ...creditNames, requiredPart: 'convenio' },
      'unknown_part',
      /requires "convenio".*nothing was sent/,
    ],
    [
      'an engine, and none is chosen',
      { ...creditNames, engineRequired: true },
      'engine_required',
      /requires an engine \("motorDeRegras"\).*nothing was sent/,
    ],
  ];

  test.each(refusals)(
    'sends nothing to a service that requires %s, and tells it; afterwards the file may go',
    async (what, names, errorCode, says) => {
      const other = await serviceWith(names);
      const name = `${errorCode}.rem`;
      await place.write(name, cnabFile({ receivables: 10 + what.length }));
      const { code, shown } = await place.analyze(name);
      expect(code).toBe(1);
      expect(shown?.outcome).toMatchObject({
        status: 'refused',
        operationId: null,
        error: { code: errorCode, message: expect.stringMatching(says) },
      });
      expect(uploadsOf(other)).toEqual([]);

      await place.installation.stopWorkers();
      await place.installation.startWorker();
      expect((await place.analyze(name)).shown?.outcome.status).toBe('completed');
      expect(place.started(name)).toBe(1);
    },
    90_000,
  );

  test.each(['silent', 'none'] as const)(
    'is spoken to in the usual names when its document is %s',
    async (document) => {
      const other = await serviceWith({ document });
      const name = `document-${document}.rem`;
      await place.write(name, cnabFile({ receivables: 7 + document.length }));
      const { shown } = await place.analyze(name);
      expect(shown?.outcome.status).toBe('completed');
      const uploads = uploadsOf(other, name);
      expect(uploads.map(({ parts }) => parts.map((part) => part.name))).toEqual([['file']]);
      expect(uploads.map(({ parts }) => fileNameOf(parts))).toEqual([name]);
    },
    60_000,
  );
});
