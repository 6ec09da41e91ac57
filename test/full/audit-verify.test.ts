import { createHash } from 'node:crypto';
import type { Archive } from '../../src/archive/archive';
import { AuditTrail } from '../../src/archive/audit-trail';
import { parseHead, verifyAudit, type AuditFinding } from '../../src/archive/audit-verify';
import { IdKey } from '../../src/archive/open-archive';
import { SealedArchive } from '../../src/archive/sealed-archive';
import { KeyRing } from '../../src/protection/key-ring';
import { TemporaryArchive } from '../support/temporary-archive';
import { entry } from '../support/audit-entries';

const idKey = IdKey.parse('ab'.repeat(32));

describe('verifying the audit trail', () => {
  let place: TemporaryArchive;
  let audit: AuditTrail;
  /** Files of the chain under test, three records each. */
  let segments: string[];
  let chain: string;

  beforeEach(async () => {
    place = new TemporaryArchive();
    audit = new AuditTrail(place.archive, idKey, 'worker');
    for (let n = 0; n < 12; n += 3) await audit.append([entry(n), entry(n + 1), entry(n + 2)]);
    const first = (await place.archive.list('audit/chains/'))[0] ?? '';
    chain = first.slice(first.lastIndexOf('/') + 1).replace('.jsonl', '');
    segments = [first, ...(await place.archive.list('audit/segments/'))];
  });
  afterEach(() => place.remove());

  const findings = async (head?: string): Promise<AuditFinding[]> => {
    const found: AuditFinding[] = [];
    const onFinding = (finding: AuditFinding): void => void found.push(finding);
    await verifyAudit(place.archive, idKey, { onFinding, ...(head !== undefined && { head }) });
    return found;
  };
  /** Problem, and the records of the chain that it names. */
  const named = async (head?: string): Promise<string[]> =>
    (await findings(head)).map(
      ({ problem, chain: where, record, toRecord }) =>
        `${problem} ${where === chain ? '' : `${where} `}${record}-${toRecord}`,
    );
  const linesOf = (segment: number): string[] =>
    place
      .bodyOf(segments[segment] ?? '')
      .toString()
      .split(/(?<=\n)/);
  const rewrite = (segment: number, lines: string[]): void =>
    place.spoil(segments[segment] ?? '', lines.join(''));

  it('finds nothing where nothing was done', async () => {
    const head = await audit.anchor();
    const onFinding = (): never => {
      throw new Error('a finding');
    };
    expect(await verifyAudit(place.archive, idKey, { head, onFinding })).toEqual({
      chains: 1,
      records: 12,
      anchors: 1,
      findings: 0,
      head,
    });
  });

  it('names the record that was changed, and no other', async () => {
    const [one = '', two = '', three = ''] = linesOf(1);
    rewrite(1, [one, two.replace('maria', 'mario'), three]);
    expect(await named()).toEqual(['changed 5-5']);
  });

  it('names a record whose hash was made to fit the change', async () => {
    const [one = '', two = '', three = ''] = linesOf(1);
    rewrite(1, [one, rehashed(two.replace('maria', 'mario')), three]);
    expect(await named()).toEqual(['foreign 5-5']);
  });

  it.each([
    { from: 0, what: [0], named: ['removed 1-1'] },
    { from: 1, what: [1], named: ['removed 5-5'] },
    { from: 2, what: [0, 1], named: ['removed 7-8'] },
  ])(
    'names what was removed from segment $from: $named',
    async ({ from, what, named: expected }) => {
      rewrite(
        from,
        linesOf(from).filter((_, index) => !what.includes(index)),
      );
      expect(await named()).toEqual(expected);
    },
  );

  it('names the records of a segment that was removed', async () => {
    place.drop(segments[2] ?? '-');
    expect(await named()).toEqual(['removed 7-9']);
  });

  it('names the records of a first segment that was removed', async () => {
    place.drop(segments[0] ?? '-');
    expect(await named()).toEqual(['removed 1-3']);
  });

  it('names records that change places', async () => {
    const [one = '', two = '', three = ''] = linesOf(1);
    rewrite(1, [one, three, two]);
    expect(await named()).toEqual(['reordered 5-5']);
  });

  it('names segments that change places', async () => {
    const [, one = '', two = ''] = segments;
    const bodies = [place.bodyOf(one), place.bodyOf(two)] as const;
    place.spoil(one, bodies[1]);
    place.spoil(two, bodies[0]);
    expect(await named()).toEqual(['reordered 4-4', 'reordered 5-5', 'reordered 6-6']);
  });

  it('names a record that stands there twice', async () => {
    const lines = linesOf(1);
    rewrite(1, [...lines, lines[0] ?? '']);
    expect(await named()).toEqual(['repeated 4-4']);
  });

  it('names a record moved here from another chain', async () => {
    const other = new AuditTrail(place.archive, idKey, 'command');
    await other.append([entry(99)]);
    const keys = await place.archive.list('audit/chains/');
    const key = keys.find((one) => one.includes('command')) ?? '';
    const [moved = ''] = place
      .bodyOf(key)
      .toString()
      .split(/(?<=\n)/);
    rewrite(3, [...linesOf(3), moved]);
    expect(await named()).toEqual(['foreign 13-13']);
  });

  it('names every record of a chain written anew without the key', async () => {
    const forger = new AuditTrail(place.archive, IdKey.parse('cd'.repeat(32)), 'command');
    await forger.append([entry(1), entry(2)]);
    const found = await findings();
    expect(found.map(({ problem, record }) => [problem, record])).toEqual([
      ['foreign', 1],
      ['foreign', 2],
    ]);
  });

  it('says where a line was cut, or something was written behind it', async () => {
    const [one = '', two = '', three = ''] = linesOf(3);
    rewrite(3, [one, two, three.slice(0, -20)]);
    expect(await named()).toEqual(['changed 12-12']);
    rewrite(3, [one, two, three, '\n']);
    expect(await named()).toEqual(['changed 13-13']);
  });

  it('names the last record of a command that was removed, with a head or without', async () => {
    const command = new AuditTrail(place.archive, idKey, 'command');
    const head = await command.appendAndAnchor([entry(50)]);
    const [key = ''] = (await place.archive.list('audit/chains/')).filter((one) =>
      one.includes('-command-'),
    );
    expect(await named(head)).toEqual([]);
    await place.archive.remove(key);
    const name = key.slice(key.lastIndexOf('/') + 1).replace('.jsonl', '');
    expect(await named()).toEqual([`removed ${name} 1-1`]);
    expect(await named(head)).toEqual([`removed ${name} 1-1`]);
  });

  describe('with an anchor', () => {
    let head: string;

    beforeEach(async () => {
      head = await audit.anchor();
    });

    it('names the last records when they were cut off', async () => {
      rewrite(3, linesOf(3).slice(0, 1));
      expect(await named()).toEqual(['removed 11-12']);
      place.drop(segments[3] ?? '-');
      expect(await named()).toEqual(['removed 10-12']);
    });

    it('names a chain that was removed as a whole', async () => {
      for (const segment of segments) place.drop(segment);
      expect(await named()).toEqual(['removed 1-12']);
    });

    it('names an anchor that was changed, removed or written anew', async () => {
      await audit.append([entry(12)]);
      await audit.anchor();
      await audit.append([entry(13)]);
      await audit.anchor();
      const second = 'audit/anchors/00000002.json';
      const text = place.bodyOf(second).toString();
      place.spoil(second, text.replace('"number":2', '"number":2,"a":1'));
      expect(await named()).toEqual(['changed anchors 2-2']);
      place.spoil(second, rehashed(text.replace('"number":2', '"number":2,"a":1')));
      expect(await named()).toEqual(['foreign anchors 2-2']);
      place.drop(second);
      expect(await named()).toEqual(['removed anchors 2-2']);
    });

    it('finds the end gone with the anchors that named it, by a head that somebody kept', async () => {
      await audit.append([entry(12)]);
      const kept = await audit.anchor();
      place.drop('audit/anchors/00000002.json');
      place.drop(`audit/segments/${chain}/00000005.jsonl`);
      expect(await named()).toEqual([]);
      expect(await named(kept)).toEqual(['removed anchors 2-2']);
      expect(await named(head)).toEqual([]);
    });

    it('finds all of it written anew with the key, by a head that somebody kept', async () => {
      for (const folder of ['chains', 'segments', 'anchors']) {
        place.drop(`audit/${folder}/`);
      }
      const anew = new AuditTrail(place.archive, idKey, 'worker');
      await anew.append([entry(1)]);
      await anew.anchor();
      expect(await named()).toEqual([]);
      expect(await named(head)).toEqual(['removed anchors 1-1']);
    });
  });

  it('finds nothing where a worker begins a chain and goes on while it reads', async () => {
    const late = new AuditTrail(place.archive, idKey, 'worker');
    let began = false;
    const busy: Archive = {
      id: place.archive.id,
      store: place.archive.store,
      attempts: place.archive.attempts,
      subjects: place.archive.subjects,
      jobs: place.archive.jobs,
      outcomes: place.archive.outcomes,
      get: (key) => place.archive.get(key),
      replace: (key, body) => place.archive.replace(key, body),
      remove: (key) => place.archive.remove(key),
      removeAll: (prefix) => place.archive.removeAll(prefix),
      forget: () => place.archive.forget(),
      removeOrphans: (now) => place.archive.removeOrphans(now),
      prove: () => place.archive.prove(),
      putIfAbsent: (key, body, options) => place.archive.putIfAbsent(key, body, options),
      putAllIfAbsent: (records) => place.archive.putAllIfAbsent(records),
      list: async (prefix) => {
        const keys = await place.archive.list(prefix);
        if (!began && !prefix.startsWith('audit/anchors/')) {
          began = true;
          for (let n = 20; n < 23; n += 1) await late.append([entry(n)]);
        }
        return keys;
      },
    };
    const found: AuditFinding[] = [];
    await verifyAudit(busy, idKey, { onFinding: (finding) => void found.push(finding) });
    expect(found).toEqual([]);
  });

  it('names the records of an object that was sealed and then altered, and goes on anchoring', async () => {
    // What is in the clear is a stranger's in a sealed archive.
    place.drop('audit/');
    const keys = KeyRing.parse(`a:${'ab'.repeat(32)}`);
    const sealed = new SealedArchive(place.archive, { keys });
    const other = new AuditTrail(sealed, idKey, 'command');
    await other.append([entry(1)]);
    const [key = ''] = (await sealed.list('audit/chains/')).filter((one) =>
      one.includes('command'),
    );
    const bytes = place.bodyOf(key);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    place.spoil(key, bytes);
    expect(await other.anchor()).toMatch(/^1-/);
    const found: AuditFinding[] = [];
    await verifyAudit(sealed, idKey, { onFinding: (finding) => void found.push(finding) });
    expect(found).toMatchObject([{ problem: 'changed', record: 1 }]);
  });

  it.each(['', '1', '0-00', `1-${'g'.repeat(32)}`, `1-${'a'.repeat(31)}`])(
    'takes %j for no head',
    (text) => expect(parseHead(text)).toBeNull(),
  );
});

/** A line whose hash fits its content, as anybody can make it; its MAC is left as it was. */
function rehashed(line: string): string {
  const [, start = '', mac = ''] = /^(.*),"hash":"\w+","mac":"(\w+)"\}\n$/s.exec(line) ?? [];
  const hash = createHash('sha256').update(`${start}}`).digest('hex');
  return `${start},"hash":"${hash}","mac":"${mac}"}\n`;
}
