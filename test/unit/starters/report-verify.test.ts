import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AuditExcerpt, ExcerptLink } from '../../../src/domain/core/audit';
import type { Manifest } from '../../../src/report/investigations/schema';
import type { InvestigationReport } from '../../../src/report/investigations/schema';
import { SigningKey } from '../../../src/protection/signing-key';
import { signManifest } from '../../../src/starters/investigations/report/folder';
import { verifyReport } from '../../../src/starters/investigations/report/command';
import { beginningOf, forgeLink } from '../../../src/store/audit/link';
import { sampleReport } from '../report/investigation-sample';

const ours = new SigningKey(Buffer.alloc(32, 1));
const theirs = new SigningKey(Buffer.alloc(32, 2));
const auditKey = Buffer.alloc(32, 3);
const chain = '20261121T100000000Z-0a1b2c3d';
const pdf = Buffer.from('%PDF-1.7 a certificate');
const sha256 = (body: string | Buffer): string => createHash('sha256').update(body).digest('hex');

let root: string;
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'verify-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** What the trail has: the beginning, the evidence, the end, with somebody else's record between. */
function excerpt({ id, settledAt, status }: InvestigationReport): AuditExcerpt {
  const beginning = beginningOf('store-1', chain);
  const job = sampleReport().evidence[0]?.job;
  // A line of the trail has a number in the place of each keyed name.
  const [, name = ''] = id.split('/');
  const number = 'd'.repeat(32);
  const numberedId = id.replace(name, number);
  const entries = [
    { kind: 'start', id: `start/${id}`, job: numberedId },
    { kind: 'outcome', id: `outcome/${job}/0`, job, sha256: sha256(pdf) },
    null,
    {
      kind: 'outcome',
      id: `outcome/${numberedId}`,
      job: numberedId,
      result: status,
      happenedAt: settledAt,
    },
  ];
  const links: ExcerptLink[] = [];
  for (const [index, entry] of entries.entries()) {
    const place = {
      prev: links.at(-1)?.hash ?? beginning,
      number: index + 1,
      at: `2026-11-22T02:30:0${index}.000Z`,
    };
    const text = JSON.stringify(entry ?? { kind: 'start', id: 'another', job: 'another' });
    const { hash } = forgeLink(auditKey, beginning, place, text);
    links.push({ ...place, hash, text: entry === null ? null : text });
  }
  const text = JSON.stringify({ heads: [[chain, links.length, links.at(-1)?.hash]] });
  const place = { prev: 'b'.repeat(64), number: 7, at: '2026-11-22T02:31:00.000Z' };
  const { hash } = forgeLink(auditKey, beginning, place, text);
  return {
    names: { [number]: name },
    chains: [{ chain, beginning, links }],
    anchors: [{ ...place, hash, text }],
  };
}

/** A folder as it is written. */
async function writeReport(): Promise<string> {
  const folder = join(root, `report-${(folders += 1)}`);
  const sample = sampleReport();
  const evidence = sample.evidence.map((row) => ({
    ...row,
    bytes: pdf.length,
    sha256: sha256(pdf),
  }));
  const report = { ...sample, evidence };
  for (const { path } of evidence) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), pdf);
  }
  const made = { 'report.html': '<!doctype html>', 'report.json': JSON.stringify(report) };
  for (const [name, text] of Object.entries(made)) await writeFile(join(folder, name), text);
  const { requested, id, plan, settledAt } = report;
  await signManifest(
    folder,
    {
      version: 1,
      investigation: id,
      plan: plan.name,
      requestedBy: requested.by,
      requestedAt: requested.at,
      settledAt,
      files: [
        ...Object.entries(made).map(([path, text]) => ({
          path,
          bytes: Buffer.byteLength(text),
          sha256: sha256(text),
          evidence: null,
        })),
        ...evidence.map(({ bytes, path, sha256: sum, ...from }) => {
          return { path, bytes, sha256: sum, evidence: from };
        }),
      ],
      audit: excerpt(report),
    },
    ours,
  );
  return folder;
}

const certificate = 'evidence/registration/cnpj.pdf';

async function edit(folder: string, name: string, change: (text: string) => string) {
  const before = await readFile(join(folder, name), 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`nothing changed in ${name}`);
  await writeFile(join(folder, name), after);
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest;
}

/** The manifest is changed, and signed again by whoever has a key. */
async function forge(
  folder: string,
  change: (manifest: Manifest) => void | Promise<void>,
  key = theirs,
): Promise<void> {
  const manifest = await manifestOf(folder);
  await change(manifest);
  await signManifest(folder, manifest, key);
}

/** Every sum is made to agree with what is in the folder now. */
async function sumAgain(folder: string, manifest: Manifest): Promise<void> {
  for (const file of manifest.files) {
    const body = await readFile(join(folder, file.path));
    Object.assign(file, { bytes: body.length, sha256: sha256(body) });
  }
}

const links = (manifest: Manifest): ExcerptLink[] => manifest.audit.chains[0]?.links ?? [];

test('a folder as it was written is consistent; the key proves who wrote it', async () => {
  const folder = await writeReport();
  const alone = await verifyReport(folder, null);
  expect(alone).toMatchObject({ consistent: true, proved: false, faults: [] });
  expect(alone.publicKey).toBe(ours.publicKey);
  const known = await verifyReport(folder, ours.publicKey);
  expect(known).toMatchObject({ consistent: true, proved: true, faults: [] });
});

test('a folder that is not there is said, and no verdict is given', async () => {
  await expect(verifyReport(join(root, 'nowhere'), null)).rejects.toThrow('cannot be read');
});

/** Letters of Base64 that differ in the last bit. */
const next: Readonly<Record<string, string>> = { A: 'B', Q: 'R', g: 'h', w: 'x' };

type Doctoring = (folder: string) => Promise<unknown>;

/** Each is found without the key of who wrote it. */
const doctored: [string, Doctoring, string][] = [
  [
    'a byte of the evidence is changed',
    (folder) => edit(folder, certificate, (text) => text.replace('a cert', 'A cert')),
    `${certificate} is not as it was written`,
  ],
  [
    'a byte is added to the evidence',
    (folder) => edit(folder, certificate, (text) => `${text}\n`),
    `${certificate} is not as it was written`,
  ],
  ['evidence is removed', (folder) => rm(join(folder, certificate)), `${certificate} is missing`],
  [
    'a file is added',
    (folder) => writeFile(join(folder, 'evidence/registration/other.pdf'), pdf),
    'evidence/registration/other.pdf is not in the manifest',
  ],
  [
    'a hidden file is added',
    (folder) => writeFile(join(folder, '.note'), ''),
    '.note is not in the manifest',
  ],
  [
    'evidence is renamed',
    (folder) => rename(join(folder, certificate), join(folder, `${certificate}.old`)),
    `${certificate} is missing`,
  ],
  [
    'evidence is a link to the same bytes elsewhere',
    async (folder) => {
      const elsewhere = join(root, 'elsewhere.pdf');
      await rename(join(folder, certificate), elsewhere);
      await symlink(elsewhere, join(folder, certificate));
    },
    `${certificate} is no plain file`,
  ],
  [
    'a folder of the evidence is a link',
    async (folder) => {
      const elsewhere = join(root, 'elsewhere');
      await rename(join(folder, 'evidence'), elsewhere);
      await symlink(elsewhere, join(folder, 'evidence'));
    },
    'evidence is no plain file',
  ],
  [
    'the page is edited',
    (folder) => edit(folder, 'report.html', (text) => `${text} `),
    'report.html is not as it was written',
  ],
  [
    'the data of the report are edited',
    (folder) => edit(folder, 'report.json', (text) => text.replace('"high"', '"low"')),
    'report.json is not as it was written',
  ],
  [
    'the folder is said to be of another job',
    (folder) => writeFile(join(folder, '.job'), 'investigation/another/1\n'),
    '.job names another investigation',
  ],
  ['the page is removed', (folder) => rm(join(folder, 'report.html')), 'report.html is missing'],
  [
    'the manifest is edited',
    (folder) => edit(folder, 'manifest.json', (text) => text.replace('"ana"', '"bob"')),
    'manifest.json is not what was signed',
  ],
  [
    'a blank is added to the manifest',
    (folder) => edit(folder, 'manifest.json', (text) => `${text}\n`),
    'manifest.json is not what was signed',
  ],
  [
    'the manifest is removed',
    (folder) => rm(join(folder, 'manifest.json')),
    'manifest.json is missing, or is none',
  ],
  [
    'the signature is removed',
    (folder) => rm(join(folder, 'manifest.sig')),
    'manifest.sig is missing, or is none',
  ],
  [
    'a blank is added to the signature',
    (folder) => edit(folder, 'manifest.sig', (text) => `${text}\n`),
    'manifest.sig is missing, or is none',
  ],
  [
    'a bit of the signature that stands for nothing is changed',
    (folder) =>
      edit(folder, 'manifest.sig', (text) =>
        text.replace(/([AQgw])=="/, (_, last: string) => `${next[last]}=="`),
      ),
    'manifest.sig is missing, or is none',
  ],
  [
    'the signature is that of another report',
    async (folder) => {
      const other = await writeReport();
      await forge(other, (manifest) => void (manifest.requestedBy = 'bob'), ours);
      await cp(join(other, 'manifest.sig'), join(folder, 'manifest.sig'));
    },
    'manifest.json is not what was signed',
  ],
  [
    'the public key in the signature is swapped',
    (folder) =>
      edit(folder, 'manifest.sig', (text) => text.replace(ours.publicKey, theirs.publicKey)),
    'manifest.json is not what was signed',
  ],
  [
    'evidence is changed with its sum in the manifest, and signed anew',
    async (folder) => {
      await writeFile(join(folder, certificate), '%PDF-1.7 another certificate');
      await forge(folder, (manifest) => sumAgain(folder, manifest));
    },
    'report.json names other evidence than the manifest',
  ],
  [
    'evidence is changed in all but the audit trail, and signed anew',
    async (folder) => {
      const body = '%PDF-1.7 another certificate';
      await writeFile(join(folder, certificate), body);
      await edit(folder, 'report.json', (text) => {
        const report = JSON.parse(text) as InvestigationReport;
        const [first] = report.evidence;
        Object.assign(first ?? {}, { bytes: body.length, sha256: sha256(body) });
        return JSON.stringify(report);
      });
      await forge(folder, (manifest) => sumAgain(folder, manifest));
    },
    'audit: it has another sha256 than the evidence of registration/4f4f4f4f4f4f4f4f/20261121T101530123Z',
  ],
  [
    'evidence is left out everywhere but in report.json, and signed anew',
    async (folder) => {
      await rm(join(folder, certificate));
      await forge(folder, (manifest) => {
        manifest.files = manifest.files.filter(({ path }) => path !== certificate);
      });
    },
    'report.json names other evidence than the manifest',
  ],
  [
    'who asked is changed in the manifest, and signed anew',
    (folder) => forge(folder, (manifest) => void (manifest.requestedBy = 'bob')),
    'report.json is of another investigation than the manifest',
  ],
  [
    'the end of the report is changed, and signed anew',
    async (folder) => {
      await edit(folder, 'report.json', (text) =>
        text.replace('"status":"incomplete"', '"status":"completed"'),
      );
      await forge(folder, (manifest) => sumAgain(folder, manifest));
    },
    'audit: it has another end of the investigation than report.json',
  ],
  [
    'a record of the audit trail is edited, and signed anew',
    (folder) =>
      forge(folder, (manifest) => {
        const [first] = links(manifest);
        if (first?.text != null) first.text = first.text.replace('start', 'stale');
      }),
    `audit: ${chain} record 1 is not as it was written`,
  ],
  [
    'a record is removed, and signed anew',
    (folder) => forge(folder, (manifest) => void links(manifest).splice(1, 1)),
    `audit: ${chain} record 3 does not follow the one before it`,
  ],
  [
    'the last record is removed, and signed anew',
    (folder) => forge(folder, (manifest) => void links(manifest).pop()),
    `audit: ${chain}: no anchor names its end`,
  ],
  [
    'records are reordered, and signed anew',
    (folder) => forge(folder, (manifest) => void links(manifest).reverse()),
    `audit: ${chain} record 3 does not follow the one before it`,
  ],
  [
    'the anchor is edited, and signed anew',
    (folder) =>
      forge(folder, (manifest) => {
        const [anchor] = manifest.audit.anchors;
        if (anchor !== undefined) anchor.text = anchor.text.replace('heads', 'tails');
      }),
    'audit: anchor 7 is not as it was written',
  ],
  [
    'the names of the audit trail are those of another investigation, and signed anew',
    (folder) => forge(folder, (manifest) => void (manifest.audit.names = {})),
    'audit: the end of the investigation is not among its records',
  ],
  [
    'the excerpt of the audit trail is left out, and signed anew',
    (folder) =>
      forge(folder, (manifest) => void (manifest.audit = { names: {}, chains: [], anchors: [] })),
    'audit: the end of the investigation is not among its records',
  ],
];

test.each(doctored)('%s', async (_, doctor, fault) => {
  const folder = await writeReport();
  await doctor(folder);
  const { consistent, faults, proved } = await verifyReport(folder, null);
  expect({ consistent, proved }).toEqual({ consistent: false, proved: false });
  expect(faults).toContain(fault);
});

/** Whoever has all the files can make them agree, and has a key of their own. */
const consistentForgeries: [string, Doctoring][] = [
  ['all as it was', (folder) => forge(folder, () => {})],
  [
    'another verdict on the page',
    async (folder) => {
      await edit(folder, 'report.html', (text) => `${text}<p>low risk</p>`);
      await edit(folder, 'report.json', (text) => text.replace('"high"', '"low"'));
      await forge(folder, (manifest) => sumAgain(folder, manifest));
    },
  ],
];

test.each(consistentForgeries)(
  'forged with another key, %s: the public key of who wrote it tells',
  async (_, doctor) => {
    const folder = await writeReport();
    await doctor(folder);
    expect(await verifyReport(folder, null)).toMatchObject({ consistent: true, proved: false });
    const verified = await verifyReport(folder, ours.publicKey);
    expect(verified).toMatchObject({ consistent: false, proved: false });
    expect(verified.faults).toEqual([
      `it was not signed with the key that was given, but with ${theirs.publicKey}`,
    ]);
  },
);
