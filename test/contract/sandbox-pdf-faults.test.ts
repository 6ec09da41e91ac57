import { createHash } from 'node:crypto';
import { PDFDocument } from 'pdf-lib';
import {
  company,
  errorCodeOf,
  startManualSandbox,
  untilReceived,
  type RawCaller,
} from '../unit/sandbox/raw-caller';

const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('faults of a PDF download', () => {
  let caller: RawCaller;
  beforeEach(async () => {
    caller = await startManualSandbox();
  });
  afterEach(() => caller.close());

  async function announcedSum(id: string): Promise<unknown> {
    return ((await caller.poll(id)).json['evidence'] as Record<string, unknown>)['sha256'];
  }

  test('wrong_sha256 gives other bytes so many times, then the announced ones', async () => {
    caller.sandbox.configure({
      documents: { [company]: { pdf: [{ kind: 'wrong_sha256', times: 2 }] } },
    });
    const id = await caller.settled(company);
    const announced = await announcedSum(id);
    for (let download = 0; download < 2; download += 1) {
      const { bytes } = await caller.pdf(id);
      expect(sum(bytes)).not.toBe(announced);
      await expect(PDFDocument.load(bytes)).resolves.toBeDefined();
    }
    expect(sum((await caller.pdf(id)).bytes)).toBe(announced);
  });

  test('wrong_sha256 for ever never heals', async () => {
    caller.sandbox.configure({
      documents: { [company]: { pdf: [{ kind: 'wrong_sha256', times: 'forever' }] } },
    });
    const id = await caller.settled(company);
    const announced = await announcedSum(id);
    for (let download = 0; download < 5; download += 1) {
      expect(sum((await caller.pdf(id)).bytes)).not.toBe(announced);
    }
  });

  test('not_a_pdf is a page, with 200', async () => {
    caller.sandbox.configure({ documents: { [company]: { pdf: ['not_a_pdf'] } } });
    const { status, headers, bytes } = await caller.pdf(await caller.settled(company));
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/html');
    expect(bytes.toString()).toContain('<html>');
  });

  test('empty_pdf has no byte, with 200', async () => {
    caller.sandbox.configure({ documents: { [company]: { pdf: ['empty_pdf'] } } });
    const { status, headers, bytes } = await caller.pdf(await caller.settled(company));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/pdf');
    expect(bytes).toHaveLength(0);
  });

  test('slow_pdf trickles, and is whole in the end', async () => {
    caller.sandbox.configure({
      documents: { [company]: { pdf: [{ kind: 'slow_pdf', delayMs: 16_000 }] } },
    });
    const id = await caller.settled(company);
    const announced = await announcedSum(id);
    const download = caller.pdf(id);
    await untilReceived(caller.sandbox, 3);
    await caller.poll(id);
    const isUnderWay = () => caller.sandbox.received()[2]?.status === null;
    expect(isUnderWay()).toBe(true);
    while (isUnderWay()) {
      caller.sandbox.clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sum((await download).bytes)).toBe(announced);
  });

  test.each(['reset_after', 'cut_answer'] as const)('%s breaks the download once', async (kind) => {
    caller.sandbox.configure({ documents: { [company]: { pdf: [kind] } } });
    const id = await caller.settled(company);
    expect(await errorCodeOf(caller.pdf(id))).toMatch(/ECONNRESET|UND_ERR/);
    expect((await caller.pdf(id)).status).toBe(200);
  });

  test.each([
    ['429', 429],
    ['503', 503],
    ['401', 401],
  ] as const)('%s answers a download with %i', async (kind, status) => {
    caller.sandbox.configure({ documents: { [company]: { pdf: [kind] } } });
    const id = await caller.settled(company);
    expect((await caller.pdf(id)).status).toBe(status);
    expect((await caller.pdf(id)).status).toBe(200);
  });
});
