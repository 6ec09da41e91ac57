import { IdKey } from '../../src/protection/id-key';
import { openStore } from '../../src/store/open-store';
import { AuditTrail } from '../../src/store/audit/trail';
import { CertificateJobs } from '../../src/store/certificates/jobs';
import { CertificateRowWriter } from './certificate-rows';
import { createCertificateMergeActivities } from '../../src/activities/certificates/finalize';
import type { CertificateDependencies } from '../../src/activities/dependencies';
import { nothingReported } from '../../src/domain/certificates/outcomes';
import { certificateFolder, type CertificateRecord } from '../../src/domain/certificates/job';
import { KeyRing } from '../../src/protection/key-ring';
import { ActivityEnvironment } from './activity-environment';
import { cnpj } from './documents';

/**
 * Makes a batch in a store whose rows have all ended (`make`), or puts it to its end (`end`) and prints
 * the most memory that it took, in MiB. Arguments: what, folder of the store, id key, payload keys, rows.
 */

const [what, folder = '', id = '', payloadKeys = '', count = '0'] = process.argv.slice(2);
const rows = Number(count);
const jobId = 'certificate-batch/large';
const work = certificateFolder(jobId);
const at = '2026-11-21T10:00:00.000Z';

async function main(): Promise<void> {
  const idKey = IdKey.parse(id);
  const keys = KeyRing.parse(payloadKeys);
  const store = await openStore({ storeUrl: folder, blobsUrl: '' }, idKey, { keys });
  if (what === 'make') {
    const writer = new CertificateRowWriter(store, work, (text) => idKey.nameOf('document', text));
    for (let item = 0; item < rows; item += 1) {
      const [line, document] = [item + 2, cnpj(item)];
      const told = {
        line,
        type: 'cnpj',
        document,
        reference: `supplier ${item}`,
        note: '',
      } as const;
      await writer.add({ ...told, kind: 'item', item });
    }
    for (let from = 0; from < rows; from += 500) {
      const outcomes = Array.from({ length: Math.min(500, rows - from) }, (_, nth) => ({
        ...nothingReported,
        item: from + nth,
        status: 'issued' as const,
        certidaoId: `0b9c1d7e-${from + nth}`,
        attempts: 1,
        requestedAt: at,
        settledAt: at,
        completedAt: at,
        classification: 'negativa',
        officialName: `COMERCIO DE ALIMENTOS ${from + nth} LTDA`,
        holderName: `COMERCIO DE ALIMENTOS ${from + nth} LTDA`,
        sha256: 'ab'.repeat(32),
        note: '',
        possibleDoubleCharge: false,
      }));
      await store.outcomes.file(work, `lane-0000/run-${from}-1`, outcomes);
    }
    const times = { createdAt: at, createdBy: 'ana' };
    const input = { inputName: 'in.csv', inputSha256: null, inputKey: null };
    const counts = { lines: rows, blankLines: 0, items: rows };
    const kind = 'certificate-batch';
    const record = { jobId, kind, type: 'cnpj', label: null, ...input, ...times, ...counts };
    await writer.finish(record as CertificateRecord);
    return;
  }
  const audit = new AuditTrail(store, idKey);
  const works = new CertificateJobs(store);
  const deps = { store, works, idKey, audit, now: Date.now } as unknown as CertificateDependencies;
  const { finalizeRows } = createCertificateMergeActivities(deps);
  const end = { folder: work, jobId, edition: 0, startedAt: Date.parse(at), neverSent: '' };
  const env = new ActivityEnvironment({ workflowExecution: { workflowId: jobId, runId: 'run' } });
  await env.run(finalizeRows, { ...end, failedLanes: [] });
  process.stdout.write(`${process.resourceUsage().maxRSS / 1024}\n`);
}

void main().then(() => process.exit(0));
