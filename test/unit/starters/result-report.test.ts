import { certificateFolder } from '../../../src/domain/certificates/job';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateRowWriter } from '../../support/certificate-rows';
import type { OutcomeRecord } from '../../../src/domain/certificates/outcomes';
import { decisionFolder } from '../../../src/domain/core/decision';
import { writeResultFolder } from '../../../src/starters/certificates/result-folder';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { TemporaryStore } from '../../support/temporary-store';
import { decision, issuedAfter, record, reportOf, rowOf } from '../report/sample';

const work = certificateFolder(record.jobId);
const rows = [issuedAfter(3_000, 0, { line: 2 }), rowOf('unknown_outcome', { line: 3 })];
let place: TemporaryStore;
let folder: string;

beforeEach(async () => {
  place = new TemporaryStore();
  folder = await mkdtemp(join(tmpdir(), 'diligence-report-'));
  const { store } = place;
  const writer = new CertificateRowWriter(store, work, (text) => text);
  for (const [item, row] of rows.entries()) {
    const { line, document, reference, ...told } = row;
    await writer.add({ kind: 'item', item, line, type: 'cnpj', document, reference, note: '' });
    const outcome = { ...told, item, settledAt: record.createdAt } as OutcomeRecord;
    await store.outcomes.file(work, 'lane-0000/a', [outcome]);
  }
  await writer.finish(record);
  const start = { id: 'decision', kind: 'decision', createdAt: decision.at, label: null } as const;
  await store.jobs.start(decisionFolder(work, 1), start, decision);
});

afterEach(async () => {
  place.remove();
  await rm(folder, { recursive: true });
});

async function write(lang: 'en' | 'pt'): Promise<string> {
  const { store } = place;
  const workplace = { store } as unknown as CommandContext;
  const { summary } = reportOf(rows);
  await writeResultFolder(workplace, work, summary, {
    folder,
    excel: false,
    pdfNames: 'id',
    lang,
  });
  return readFile(join(folder, 'report.html'), 'utf8');
}

describe('the report of a result folder', () => {
  it('tells of the work what the store holds: its rows, its decisions, its terms', async () => {
    const page = await write('pt');
    expect(page).toContain('2 linhas. 1 linha precisa');
    expect(page).toContain('--line</span> <span class="flag">3');
    expect(page).toContain('the risk is accepted');
    expect(page).toContain('Prazo de cada linha');
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['report.html', 'results.csv']));
  });

  it('is written again in the language asked for then', async () => {
    await write('pt');
    expect(await write('en')).toContain('2 lines. 1 line needs');
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
