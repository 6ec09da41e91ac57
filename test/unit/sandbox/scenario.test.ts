import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseScenario, ScenarioError } from '../../../src/sandbox';
import { patchScenario } from '../../../src/sandbox/scenario';
import { certificateEndings } from '../../../src/sandbox/certificates/certificate-scenario';
import { creditEndings } from '../../../src/sandbox/credit/credit-scenario';
import { dossierEndings } from '../../../src/sandbox/dossiers/dossier-scenario';
import { lensEndings } from '../../../src/sandbox/lens/lens-scenario';
import { traceEndings } from '../../../src/sandbox/traces/trace-scenario';

const root = path.resolve(__dirname, '../../..');

function issuesOf(input: unknown): string[] {
  try {
    parseScenario(input);
  } catch (error) {
    if (error instanceof ScenarioError) {
      return error.issues.map((issue) => `${issue.path}: ${issue.expected}`);
    }
    throw error;
  }
  return [];
}

const timing = { waitingMs: [50, 200], processingMs: [100, 1000], distribution: 'lognormal' };
const resource = { rateLimitPerSecond: null, background: { rate: 0, kinds: [] } };
const walked = {
  cursors: 'stable',
  pageSizeName: 'limit',
  cursorName: 'cursor',
  statusName: 'status',
  defaultPageSize: 20,
};

describe('a scenario', () => {
  test('may be empty: calm, quick, 202', () => {
    expect(parseScenario('{}')).toEqual({
      issuance: { waitingMs: [50, 200], processingMs: [100, 1000], distribution: 'lognormal' },
      latencyMs: [0, 0],
      successStatus: 202,
      rateLimitPerSecond: null,
      background: { rate: 0, kinds: [] },
      documents: {},
      credit: {
        analysis: { waitingMs: [50, 200], processingMs: [100, 1000], distribution: 'lognormal' },
        resultDelayMs: [0, 0],
        successStatus: 202,
        notReadyStatus: 409,
        maxFileBytes: 67_108_864,
        rateLimitPerSecond: null,
        background: { rate: 0, kinds: [] },
        files: {},
        calls: {
          specification: [],
          engine_list: [],
          engine_create: [],
          engine_read: [],
          engine_update: [],
          engine_delete: [],
        },
      },
      monitors: {
        rateLimitPerSecond: null,
        cursors: 'stable',
        readRoute: 'served',
        pageSizeName: 'limit',
        cursorName: 'cursor',
        statusName: 'status',
        severityName: 'severity',
        defaultPageSize: 20,
        repeatedAck: 'same',
        frozenFields: [],
        cancelled: 'readable',
        seeded: { monitors: 0, changes: 0, overMs: 0 },
        held: {},
        calls: { list: [], ack: [], read: [], update: [] },
        background: { rate: 0, kinds: [] },
      },
      dossiers: {
        ...resource,
        ...walked,
        timing,
        cancelMs: [0, 0],
        successStatus: 202,
        pollAfterSeconds: 2,
        repeatedKey: 'same',
        links: 'signed',
        linkMs: 300_000,
        availableMs: 2_592_000_000,
        seeded: { dossiers: 0 },
        pattern: {
          mode: 'standard',
          kind: 'basic',
          missingPhases: [],
          risk: 'none',
          cancelling: 'cancelled',
          stale: false,
          shownIn: 'both',
          status: [],
          retry: [],
          cancel: [],
          pdf: [],
        },
        held: {},
        calls: { list: [], status: [], retry: [], cancel: [], pdf: [] },
      },
      traces: {
        ...resource,
        ...walked,
        timing,
        successStatus: 202,
        pollAfterSeconds: 2,
        repeatedKey: 'same',
        readRoute: 'served',
        typeName: 'type',
        targets: {},
        calls: { list: [], create: [], read: [] },
      },
      lens: {
        ...resource,
        timing,
        successStatus: 201,
        pollAfterSeconds: 2,
        repeatedKey: 'same',
        maxFileBytes: 52_428_800,
        uploadMs: 900_000,
        modeField: 'mode',
        readRoute: 'served',
        submit: false,
        linkMs: 300_000,
        availableMs: 2_592_000_000,
        files: {},
        calls: { create: [], upload: [], submit: [], read: [], artifact: [] },
      },
      profiles: { ...resource, oddRows: true, people: {}, calls: { lookup: [] } },
    });
  });

  test('takes a step as a word or with its details', () => {
    const { documents } = parseScenario({
      documents: {
        '*': {
          request: ['ok', { kind: '429', retryAfterSeconds: 3, times: 2 }],
          poll: ['unknown_status'],
          end: 'failure_retryable',
        },
      },
    });
    expect(documents['*']).toEqual({
      request: [
        { kind: 'ok', times: 1 },
        { kind: '429', retryAfterSeconds: 3, times: 2 },
      ],
      poll: [{ kind: 'unknown_status', times: 3 }],
      pdf: [],
      end: [{ kind: 'failure_retryable', times: 1 }],
    });
  });

  test('read twice is the same', () => {
    const once = parseScenario({ documents: { '*': { request: ['502'], end: 'divergente' } } });
    expect(parseScenario(once)).toEqual(once);
  });

  test.each([
    ['latencyMs: expected [shortest, longest]', { latencyMs: [20, 10] }],
    ['successStatus: expected 200, 201 or 202', { successStatus: 204 }],
    ['rateLimitPerSecond: Too small: expected number to be >0', { rateLimitPerSecond: 0 }],
    [
      'issuance.waitingMs[0]: Too small: expected number to be >=0',
      { issuance: { waitingMs: [-1, 0] } },
    ],
    [
      'issuance.distribution: Invalid option: expected one of "lognormal"|"uniform"',
      { issuance: { distribution: 'normal' } },
    ],
    ['documents.123: expected 11 digits, 14 digits or "*"', { documents: { '123': {} } }],
    [
      'documents.*.request[0].times: expected a whole number from 1, or "forever"',
      { documents: { '*': { request: [{ kind: '429', times: 0 }] } } },
    ],
    [
      'documents.*: unknown key polls; expected one of request, poll, pdf, end, result, failure',
      { documents: { '*': { polls: [] } } },
    ],
    ['credit.successStatus: expected 200, 201 or 202', { credit: { successStatus: 204 } }],
    [
      'credit.calls: unknown key engine; expected one of specification, engine_list, engine_create, engine_read, engine_update, engine_delete',
      { credit: { calls: { engine: [] } } },
    ],
    ['the whole scenario: Invalid input: expected object, received array', []],
  ])('that is wrong says where and what was expected: %s', (issue, scenario) => {
    expect(issuesOf(scenario)).toEqual([issue]);
  });

  test('names the words that fit where a fault is misplaced', () => {
    const [issue = ''] = issuesOf({ documents: { '*': { pdf: ['missing_id'] } } });
    expect(issue).toContain('documents.*.pdf[0].kind: Invalid option: expected one of');
    expect(issue).toContain('"slow_pdf"');
    expect(issue).not.toContain('"missing_id"');
  });

  test('that is not JSON says so, with the name of the source', () => {
    expect(() => parseScenario('{"a": ', 'demo.json')).toThrow(
      /^demo\.json: the whole scenario: expected JSON/,
    );
  });

  test('merges a patch of its credit section part by part, and null drops a file', () => {
    const files = { 'a.rem': { end: 'failed' }, 'b.rem': {} } as const;
    const first = parseScenario({ credit: { files, analysis: { waitingMs: [1, 1] } } });
    const patch = { credit: { files: { 'b.rem': null }, calls: { engine_list: ['502'] } } };
    const { credit } = patchScenario(first, patch);
    expect(Object.keys(credit.files)).toEqual(['a.rem']);
    expect(credit.analysis.waitingMs).toEqual([1, 1]);
    expect(credit.calls.engine_list).toEqual([{ kind: '502', times: 1 }]);
    expect(credit.calls.specification).toEqual([]);
  });

  test('is not changed by a patch that cannot be used', () => {
    const current = parseScenario({});
    expect(() => patchScenario(current, { background: { rate: 2 } })).toThrow(ScenarioError);
    expect(() => patchScenario(current, null)).toThrow(ScenarioError);
    expect(current.background.rate).toBe(0);
  });

  test.each(readdirSync(path.join(root, 'examples/scenarios')))(
    'example %s can be used',
    (name) => {
      const file = path.join(root, 'examples/scenarios', name);
      expect(() => parseScenario(readFileSync(file, 'utf8'), name)).not.toThrow();
    },
  );

  test('every ending is explained in docs/sandbox.md', () => {
    const text = readFileSync(path.join(root, 'docs/sandbox.md'), 'utf8');
    const words = [certificateEndings, creditEndings].flatMap(Object.keys);
    expect(words.filter((kind) => !text.includes(`| \`${kind}\``))).toEqual([]);
    const [, resources = ''] = text.split('## Dossiers, searches, analyses and profiles');
    const endings = [dossierEndings, traceEndings, lensEndings].flatMap(Object.keys);
    expect(endings.filter((kind) => !resources.includes(`\`${kind}\``))).toEqual([]);
  });

  test('every example of a scenario in docs/sandbox.md can be used', () => {
    const text = readFileSync(path.join(root, 'docs/sandbox.md'), 'utf8');
    const examples = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([, json = '']) => json);
    const scenarios = examples.filter((json) => !json.includes('"filePart"'));
    expect(scenarios.length).toBeGreaterThanOrEqual(4);
    for (const json of scenarios) expect(() => parseScenario(json)).not.toThrow();
  });

  test('a patch merges the parts of each resource, and null drops a name', () => {
    const first = parseScenario({
      traces: { targets: { a: { end: 'failed' }, b: {} }, timing: { waitingMs: [1, 1] } },
      lens: { files: { '*': { end: 'failed' } } },
      profiles: { people: { '52998224725': { answer: 'empty' } } },
    });
    const patched = patchScenario(first, {
      traces: { targets: { b: null }, timing: { processingMs: [2, 2] } },
      profiles: { oddRows: false },
    });
    expect(Object.keys(patched.traces.targets)).toEqual(['a']);
    expect(patched.traces.timing).toMatchObject({ waitingMs: [1, 1], processingMs: [2, 2] });
    expect(patched.lens).toEqual(first.lens);
    expect(patched.profiles).toEqual({ ...first.profiles, oddRows: false });
  });
});
