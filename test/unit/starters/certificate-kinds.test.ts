import type { CertificateRecord } from '../../../src/domain/certificates/job';
import { certificateBatchKind, certificateKind } from '../../../src/starters/certificates/kind';
import { laneIds } from '../../../src/starters/certificates/progress';

const input = {} as CertificateRecord;

it('a workflow has the id of its job, but for a single issuance, whose workflow has no instant', () => {
  const batch = 'certificate-batch/abc/20261121T180000000Z';
  expect(certificateBatchKind.workflowId(input, batch)).toBe(batch);
  const single = 'certificate/cnpj/abc/20261121T180000000Z';
  expect(certificateKind.workflowId(input, single)).toBe('certificate/cnpj/abc');
});

it('lanes belong to the batch, or to the decision', () => {
  expect(laneIds('certificate-batch/abc')[0]).toBe('certificate-batch/abc/lane-0000');
  expect(laneIds('certificate-batch/abc/decision-2')[1]).toBe(
    'certificate-batch/abc/decision-2/decision-2-lane-0001',
  );
});
