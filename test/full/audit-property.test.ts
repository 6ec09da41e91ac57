import * as fc from 'fast-check';
import type { Archive } from '../../src/archive/archive';
import { AuditTrail } from '../../src/archive/audit-trail';
import { verifyAudit } from '../../src/archive/audit-verify';
import { IdKey } from '../../src/archive/open-archive';

const idKey = IdKey.parse('ab'.repeat(32));

/** Objects in memory. */
function memoryArchive(objects: Map<string, Buffer>): Archive {
  return {
    id: 'archive-of-a-property',
    store: undefined as never,
    attempts: undefined as never,
    subjects: undefined as never,
    jobs: undefined as never,
    outcomes: undefined as never,
    get: async (key) => objects.get(key) ?? null,
    list: async (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)).sort(),
    replace: async (key, body) => void objects.set(key, Buffer.from(body)),
    remove: async (key) => void objects.delete(key),
    removeAll: async (prefix) => {
      for (const key of objects.keys()) if (key.startsWith(prefix)) objects.delete(key);
    },
    forget: async () => {},
    removeOrphans: async () => 0,
    prove: () => Promise.reject(new Error('never')),
    putAllIfAbsent: () => Promise.reject(new Error('never')),
    putIfAbsent: async (key, body) => {
      if (objects.has(key)) return 'exists';
      objects.set(key, Buffer.from(body));
      return 'stored';
    },
  };
}

/** Two workers and a command, a few anchors: a trail as a day leaves it, and its head. */
async function trailOf(appends: readonly number[]) {
  const objects = new Map<string, Buffer>();
  const archive = memoryArchive(objects);
  const writers = (['worker', 'worker', 'command'] as const).map(
    (kind) => new AuditTrail(archive, idKey, kind),
  );
  let head = '';
  for (const [turn, size] of appends.entries()) {
    const writer = writers[turn % writers.length];
    const entries = Array.from({ length: size }, (_, n) => ({
      kind: 'outcome' as const,
      id: `outcome/work/${turn}/${n}`,
      result: 'issued',
      by: 'joão',
      happenedAt: '2026-11-21T10:00:00.000Z',
    }));
    await writer?.append(entries);
    if (turn % 3 === 2 || turn === appends.length - 1) head = (await writer?.anchor()) ?? '';
  }
  return { objects, archive, head };
}

type Tampering = (objects: Map<string, Buffer>, at: (below: number) => number) => void;

const keysOf = (objects: Map<string, Buffer>): string[] => [...objects.keys()].sort();
const linesOf = (body: Buffer): string[] => body.toString().split(/(?<=\n)/);

const tamperings: Record<string, Tampering> = {
  changeByte: (objects, at) => {
    const body = bodyAt(objects, at);
    const place = at(body.length);
    body[place] = ((body[place] ?? 0) + 1 + at(255)) % 256;
  },
  cutObject: (objects, at) => {
    const key = keyAt(objects, at);
    const body = objects.get(key) ?? Buffer.alloc(0);
    objects.set(key, body.subarray(0, at(body.length)));
  },
  removeObject: (objects, at) => void objects.delete(keyAt(objects, at)),
  swapObjects: (objects, at) => {
    const [one, other] = [keyAt(objects, at), keyAt(objects, at)];
    const kept = objects.get(one) ?? Buffer.alloc(0);
    objects.set(one, objects.get(other) ?? Buffer.alloc(0));
    objects.set(other, kept);
  },
  removeLine: (objects, at) => editLines(objects, at, (lines) => lines.splice(at(lines.length), 1)),
  swapLines: (objects, at) =>
    editLines(objects, at, (lines) => {
      const [one, other] = [at(lines.length), at(lines.length)];
      [lines[one], lines[other]] = [lines[other] ?? '', lines[one] ?? ''];
    }),
  repeatLine: (objects, at) =>
    editLines(objects, at, (lines) => {
      lines.splice(at(lines.length), 0, lines[at(lines.length)] ?? '');
    }),
};

function keyAt(objects: Map<string, Buffer>, at: (below: number) => number): string {
  return keysOf(objects)[at(objects.size)] ?? '';
}

function bodyAt(objects: Map<string, Buffer>, at: (below: number) => number): Buffer {
  const key = keyAt(objects, at);
  const body = Buffer.from(objects.get(key) ?? '');
  objects.set(key, body);
  return body;
}

function editLines(
  objects: Map<string, Buffer>,
  at: (below: number) => number,
  edit: (lines: string[]) => void,
): void {
  const key = keyAt(objects, at);
  const lines = linesOf(objects.get(key) ?? Buffer.alloc(0));
  edit(lines);
  objects.set(key, Buffer.from(lines.join('')));
}

describe('the audit trail', () => {
  const appends = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 });

  it('verifies, whoever wrote how much of it', async () => {
    await fc.assert(
      fc.asyncProperty(appends, async (sizes) => {
        const { archive, head } = await trailOf(sizes);
        const onFinding = (): void => {};
        expect(await verifyAudit(archive, idKey, { head, onFinding })).toMatchObject({
          records: sizes.reduce((sum, size) => sum + size, 0),
          findings: 0,
          head,
        });
      }),
      { numRuns: 100 },
    );
  });

  it('shows whatever is done to it, to whoever kept its head', async () => {
    const how = fc.constantFrom(...Object.keys(tamperings));
    const chances = fc.infiniteStream(fc.nat());
    await fc.assert(
      fc.asyncProperty(appends, how, chances, async (sizes, name, stream) => {
        const { objects, archive, head } = await trailOf(sizes);
        const before = snapshotOf(objects);
        tamperings[name]?.(objects, (below) => Number(stream.next().value) % Math.max(1, below));
        fc.pre(snapshotOf(objects) !== before);
        const onFinding = (): void => {};
        const { findings } = await verifyAudit(archive, idKey, { head, onFinding });
        expect(findings).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

function snapshotOf(objects: Map<string, Buffer>): string {
  return keysOf(objects)
    .map((key) => `${key}\n${objects.get(key)?.toString('hex') ?? ''}`)
    .join('\n');
}
