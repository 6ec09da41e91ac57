import { readerOf } from '../../../src/report/reader';
import { certificateFolder } from '../../../src/domain/certificates/job';
import { CommanderError } from 'commander';
import { z } from 'zod';
import { noScanCounts } from '../../../src/domain/monitors/scan';
import { emptyBacklog, noCounts } from '../../../src/domain/monitors/sweep';
import { ConfigError } from '../../../src/environment';
import { jobKinds, type JobKind } from '../../../src/domain/job';
import {
  envelopeOf,
  errorEnvelope,
  jobEnvelope,
  outputSchema,
} from '../../../src/starters/jobs/envelope';
import { reportError } from '../../../src/starters/cli/errors';
import { printResult } from '../../../src/starters/cli/print-job';
import { kindOf } from '../../../src/starters/kinds';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { CommandError, UsageError, noJob } from '../../../src/starters/jobs/errors';
import type { Job } from '../../../src/starters/jobs/job-kind';
import { progressOfStage } from '../../../src/starters/jobs/progress';
import { LensRepository } from '../../../src/store/lens/lens';
import { ProfileRepository } from '../../../src/store/profiles/profiles';
import { TraceRepository } from '../../../src/store/traces/traces';
import { CertificateRowWriter } from '../../support/certificate-rows';
import { printedByTests } from '../../support/printed';
import { personProfile } from '../../support/profile-answers';
import { TemporaryStore } from '../../support/temporary-store';
import { record, reportOf } from '../report/sample';

let place: TemporaryStore;
const printed = printedByTests();

beforeEach(() => {
  place = new TemporaryStore();
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => place.remove());

const context = () => {
  const idKey = { nameOf: (_: string, text: string) => text };
  const environment = { language: 'en', monitorSinks: { sinks: [] } };
  return {
    store: place.store,
    reader: readerOf('en'),
    idKey,
    environment,
  } as unknown as CommandContext;
};

function jobOf(kind: JobKind, input: object, outcome: object | null, status: string | null): Job {
  const when = { createdAt: '2026-01-05T10:00:00.000Z', endedAt: status && '2026-01-05T11:00:00Z' };
  return {
    id: 'x/1',
    kind,
    folder: 'x/1',
    needsAttention: false,
    waitsFor: null,
    output: null,
    ...when,
    input,
    outcome,
    status,
  };
}

const passed = { status: 'swept', stopped: null, warnings: [], health: [], endedAt: '' };
const nothing = { error: null, startedAt: '', settledAt: '' };
const billing = { status: 'charged', amount: 10, unit: 'tokens' };
const summary = reportOf([]).summary;

/** What each kind prints of an end, and what of it is the result itself. */
type End = [JobKind, object, object, object];
const ends: End[] = [
  [
    'trace',
    { target: 'fulana' },
    { ...nothing, status: 'completed', traceId: 't', seen: { sha256: 'aa', billing } },
    { outcome: { result: { id: 'found' } }, artifacts: [{ name: 'trace.json', sha256: 'aa' }] },
  ],
  [
    'lens',
    { file: { bytes: 1, key: 'k', mediaType: 'image/png', sha256: 'ab' } },
    {
      ...nothing,
      status: 'completed',
      billing,
      replaced: [],
      seen: null,
      analysisId: 'a',
      files: null,
    },
    { outcome: { result: { candidates: [] } }, cost: [{ ...billing, count: 1 }] },
  ],
  [
    'profile',
    { cpf: '52998224725' },
    {
      ...nothing,
      status: 'found',
      call: 1,
      counts: null,
      answered: 1,
      answersLost: 0,
      sha256: 'b',
    },
    { outcome: { result: personProfile() }, artifacts: [{ name: 'profile.json' }] },
  ],
  [
    'dossier',
    { dossierId: 'd' },
    {
      ...nothing,
      status: 'completed',
      attempts: [{ number: 1, status: null, billing }],
      caused: 0,
      possibleAttempt: false,
      coverage: null,
      risk: null,
      stored: [],
      notStored: [],
    },
    { outcome: { status: 'completed' }, cost: [{ ...billing, count: 1 }] },
  ],
  [
    'credit-analysis',
    { cnab: { name: 'f' }, xmls: null, filter: 'all', jobId: 'credit/x' },
    { ...nothing, status: 'failed', operationId: null, result: null, possibleDoubleCharge: false },
    { outcome: { status: 'failed' }, exitCode: 1 },
  ],
  [
    'certificate-batch',
    record,
    { edition: 0, snapshotAt: 0, summary },
    { outcome: { counts: summary.counts, results: expect.stringContaining('results.csv') } },
  ],
  ...(
    [
      'trace-batch',
      'profile-batch',
      'credit-batch',
      'dossier-batch',
      'investigation-batch',
    ] as const
  ).map((kind): End => [
    kind,
    { kind, batchId: 'x/1', inputName: 'in.csv', items: 0, children: 0, lines: 0, left: {} },
    { endedAt: '', cancelled: false, counts: {} },
    { outcome: { counts: {}, problems: [], results: expect.stringContaining('results.csv') } },
  ]),
  [
    'monitor-sweep',
    {},
    { ...passed, monitorId: 'm', backlog: emptyBacklog, counts: noCounts(), reconciled: null },
    { outcome: { monitor: { changes: { stored: 0 } } }, folder: null },
  ],
  [
    'monitor-scan',
    { list: { name: 'default', edition: 'e', monitors: 0, pages: 0 } },
    { ...passed, scan: 's', list: 'default', counts: noScanCounts() },
    { outcome: { open: [], notes: [], changes: { total: 0, rows: [] } }, folder: null },
  ],
];

test.each(ends)('the result of a %s is in the envelope', async (name, input, outcome, expected) => {
  const { store } = place;
  await new TraceRepository(store).putAnswer('x/1', Buffer.from('{"id":"found"}'));
  if (name === 'lens') {
    await store.records.removeAll('x/1/');
    await new LensRepository(store).putAnswer('x/1', Buffer.from('{"candidates":[]}'));
  }
  await new ProfileRepository(store).putAnswer(
    'x/1',
    Buffer.from(JSON.stringify(personProfile())),
    1,
  );
  const job = jobOf(name, input, outcome, (outcome as { status?: string }).status ?? 'issued');
  if (name === 'certificate-batch') {
    job.folder = certificateFolder(record.jobId);
    await new CertificateRowWriter(store, job.folder, (text) => text).finish(record);
  }
  await printResult(context(), kindOf(name), job, { json: true, out: place.folder });
  const envelope = jobEnvelope.parse(JSON.parse(printed()));
  expect(envelope).toMatchObject({ id: 'x/1', kind: name, ...expected });
});

test.each(jobKinds.map((name) => [name, kindOf(name)] as const))(
  'a %s that runs has the same shape, without a result',
  async (name, kind) => {
    const view = { job: jobOf(name, {}, null, null), state: 'running' } as const;
    const progress = progressOfStage('requesting');
    const envelope = await envelopeOf(context(), kind, { ...view, progress }, null);
    expect(jobEnvelope.parse(JSON.parse(JSON.stringify(envelope)))).toMatchObject({
      status: 'running',
      exitCode: 0,
      outcome: null,
      progress,
    });
  },
);

test.each<[string, string | null, number, Error]>([
  ['usage', '--target', 2, new UsageError(['--target: no', '--target: não'])],
  ['refused', null, 1, new CommandError(noJob('x'))],
  ['configuration', 'CREDIT_TOKEN', 2, new ConfigError('CREDIT_TOKEN', 'is not set')],
  ['usage', '--deadline', 2, usageError("option '--deadline <duration>' argument 'x' is invalid")],
  ['usage', '--input', 2, usageError("required option '--input <file>' not specified")],
  ['failed', null, 1, new TypeError('52998224725 is secret')],
])('an error is an envelope too: %s, of %s', (code, field, exitCode, error) => {
  expect(reportError(error, true)).toBe(exitCode);
  const envelope = errorEnvelope.parse(JSON.parse(printed()));
  expect(envelope).toMatchObject({ error: { code, field }, exitCode });
  expect(printed()).not.toContain('52998224725');
});

function usageError(message: string): CommanderError {
  return new CommanderError(1, 'commander.error', `error: ${message}`);
}

test('without --json an error prints nothing to standard output', () => {
  expect(reportError(new UsageError(['--target: no', '--target: não']))).toBe(2);
  expect(printed()).toBe('');
});

test('the schema of the package says what the envelope has, for every kind', () => {
  const text = JSON.stringify(z.toJSONSchema(outputSchema));
  for (const word of [...jobKinds, ...Object.keys(jobEnvelope.shape), 'field']) {
    expect(text).toContain(`"${word}"`);
  }
});
