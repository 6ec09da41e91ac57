import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LensInstallation, type Picture } from '../support/lens-installation';
import { configured } from '../support/configured';

/** Analyses from a file to what was found in it, with the sandbox and a real server. */

interface Begun extends Picture {
  end: ReturnType<LensInstallation['analyze']>;
}

let installation: LensInstallation;
/** The analyses of its service do not start by themselves. */
let submitting: LensInstallation;
/** They wait more than they work: all are begun at once, and each test awaits its own. */
let begun: Record<'plain' | 'late' | 'thriceLate' | 'submitted', Begun>;

jest.setTimeout(180_000);
beforeAll(async () => {
  [installation, submitting] = await Promise.all([
    LensInstallation.start(configured({ lens: { maxFileBytes: 3_000_000 } })),
    LensInstallation.start(configured({ lens: { submitPath: '/lente/analyses/{id}/submit' } })),
  ]);
  submitting.place.sandbox.configure({ lens: { submit: true } });
  const pictures = {
    plain: await installation.picture({}, 2_500_000),
    late: await installation.picture({ uploadMs: [0, 600_000] }),
    thriceLate: await installation.picture({ uploadMs: [0, 0, 0, 600_000] }),
    submitted: await submitting.picture({ submit: ['reset_after'] }),
  };
  const begin = (where: LensInstallation, picture: Picture, ...more: string[]): Begun => ({
    ...picture,
    end: where.analyze(picture.path, ...more),
  });
  begun = {
    plain: begin(installation, pictures.plain, '--mode', 'face'),
    late: begin(installation, pictures.late),
    thriceLate: begin(installation, pictures.thriceLate),
    submitted: begin(submitting, pictures.submitted),
  };
});
afterAll(() => Promise.all([installation.place.stop(), submitting.place.stop()]));

test('a file is handed in once from its stored copy, and what was found is stored with its artifacts', async () => {
  const { path, sha256, body, end } = begun.plain;
  const first = await end;
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
  const { artifacts, outcome, id } = first.shown;
  expect(outcome).toMatchObject({
    status: 'completed',
    replaced: [],
    seen: { mode: 'face', hasResult: true, billing: { status: 'charged', amount: 20 } },
    files: { stored: [{ mediaType: 'application/pdf' }], notStored: [] },
  });
  expect(outcome).toMatchObject({
    findings: { sections: [{ title: 'faces', rows: [{ confidence: 0.95 }, {}] }, {}] },
  });
  expect(artifacts).toMatchObject([{ name: 'lens.json' }, { name: 'artifact-1.pdf' }]);
  expect(installation.counted(sha256)).toMatchObject({ requested: 1, created: 1, uploads: 1 });
  const again = await installation.analyze(path, '--mode', 'face', '--by', 'somebody else');
  expect(again.stderr).toContain('is shown as it stands');
  expect(again.shown.outcome).toEqual(outcome);
  expect(installation.counted(sha256)).toMatchObject({ requested: 1, created: 1, uploads: 1 });
  expect(await installation.place.workerLog()).not.toMatch(/picture-\d|X-Amz|signature=/i);
  const status = await installation.place.run(['show', id]);
  expect(status.stdout).toMatch(/completed\n[^]*\nfaces \(2\)\n +CONFIDENCE /);
  const list = await installation.place.run(['list']);
  expect(list.stdout).toContain(`image/png, ${body.length} bytes`);
  expect(list.stdout).not.toContain('picture-');
});

test('an upload that expires is followed by another analysis, and the one before is on record', async () => {
  const { sha256, end } = begun.late;
  const { code, shown, stderr } = await end;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { analysisId, replaced, status } = shown.outcome;
  expect(status).toBe('completed');
  expect(replaced).toEqual([
    {
      attempt: 1,
      analysisId: expect.any(String),
      billing: { status: 'not_charged', amount: 0, unit: 'tokens' },
    },
  ]);
  expect(replaced[0]?.analysisId).not.toBe(analysisId);
  expect(installation.counted(sha256)).toMatchObject({ created: 2, uploads: 1 });
});

test('after three uploads that expired it ends, and the same command begins a fourth', async () => {
  const { path, sha256, end } = begun.thriceLate;
  const first = await end;
  expect(first.shown).toMatchObject({
    exitCode: 3,
    outcome: { status: 'expired', error: { code: 'upload_expired' } },
  });
  expect(first.shown.outcome.replaced).toHaveLength(3);
  expect(installation.counted(sha256)).toMatchObject({ created: 3, uploads: 0 });
  const second = await installation.analyze(path);
  expect(second.shown.outcome).toMatchObject({ status: 'completed', replaced: [] });
  expect(installation.counted(sha256)).toMatchObject({ created: 4, uploads: 1 });
});

test('a file that cannot be sent is refused before anything is', async () => {
  const { folder } = installation.place;
  const empty = join(folder, 'empty.png');
  const large = join(folder, 'large.png');
  await writeFile(empty, '');
  await writeFile(large, Buffer.alloc(3_000_001));
  const addresses = join(folder, 'addresses.csv');
  await writeFile(addresses, 'email\nana@example.com\n');
  const pdf = join(folder, 'paper.png');
  await writeFile(pdf, '%PDF-1.7\n');
  const before = installation.place.sandbox.lens.counts().calls;
  for (const [path, why] of [
    [empty, 'is empty'],
    [folder, 'is a folder'],
    [large, 'is larger than 3000000 bytes'],
    [join(folder, 'none.png'), 'ENOENT'],
    [addresses, 'is no picture or video, but of no known format, 22 bytes'],
    [pdf, 'is no picture or video, but application/pdf'],
  ] as const) {
    const { code, stderr } = await installation.analyze(path);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    expect(stderr).toContain('nothing was sent');
  }
  const { code, stderr } = await installation.analyze(pdf, '--accept-format', ' ');
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('a reason') });
  expect(installation.place.sandbox.lens.counts().calls).toEqual(before);
});

test('what is no picture is sent for a reason, which is stored; the audit trail has that it was', async () => {
  const path = join(installation.place.folder, 'raw.bin');
  const body = Buffer.from('a format of a camera');
  await writeFile(path, body);
  const reason = 'raw file of our camera';
  const { code, shown, stderr } = await installation.analyze(path, '--accept-format', reason);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { stdout } = await installation.place.run(['show', shown.id]);
  expect(stdout).toContain(reason);
  const audit = await installation.place.run(['audit', 'export', '--format', 'json']);
  const entries = audit.stdout.split('\n').filter((line) => line.includes(shown.id));
  expect(entries.join()).toContain('"forced":true,"mediaType":"application/octet-stream"');
  expect(entries.join()).not.toContain(reason);
});

test('where an upload by itself starts nothing, the analysis is asked for once it is there', async () => {
  const { sha256, end } = begun.submitted;
  const { code, shown, stderr } = await end;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(shown.outcome.status).toBe('completed');
  expect(submitting.counted(sha256)).toMatchObject({ created: 1, uploads: 1 });
});
