import type { DecisionRecord, WorkRecord } from '../../../src/domain/certificates/work';
import { wayOn, workState } from '../../../src/starters/cli/work-state';
import {
  engineIdOf,
  laneId,
  workIdOf,
  type WorkOnFile,
} from '../../../src/starters/cli/works-on-file';

const record = {
  workId: 'certificate-batch/abc',
  kind: 'certificate-batch',
  type: 'cnpj',
  label: 'second round',
  inputName: 'suppliers.csv',
} as WorkRecord;
const batch: WorkOnFile = { folder: 'works/certificate-batch/abc', record, decision: null };
const decision: WorkOnFile = {
  ...batch,
  decision: { number: 2, action: 'reissue' } as DecisionRecord,
};
const single: WorkOnFile = {
  folder: 'works/certificate/cnpj/abc/20261121T180000000Z',
  record: { ...record, workId: 'certificate/cnpj/abc/20261121T180000000Z', kind: 'certificate' },
  decision: null,
};

describe('how a work stands', () => {
  it('is what the store says when it has results, whatever the engine knows', () => {
    for (const sight of ['running', 'closed', 'not known', 'no engine', 'unreachable'] as const) {
      expect(workState(true, sight)).toBe('ended');
    }
  });

  it('is lost only when an engine was asked and knows nothing of it', () => {
    expect(workState(false, 'not known')).toBe('lost');
    expect(workState(false, 'no engine')).toBe('waits for the engine');
    expect(workState(false, 'unreachable')).toBe('engine unreachable');
  });

  it('names the command that goes on, with the flags that make it the same work', () => {
    expect(wayOn(batch, 'lost')).toContain(
      '`diligence certificate batch --input suppliers.csv --type cnpj --label "second round"`',
    );
    expect(wayOn(single, 'broken off')).toContain('`diligence certificate issue --type cnpj');
    expect(wayOn(decision, 'lost')).toContain(
      '`diligence certificate resolve --batch certificate-batch/abc --action reissue',
    );
  });

  it('asks nothing of a person while it runs, or when it has ended', () => {
    expect([wayOn(batch, 'running'), wayOn(batch, 'ended')]).toEqual([null, null]);
  });
});

describe('the ids of works', () => {
  it('are those of their workflows, but for a single issuance, whose workflow has no instant', () => {
    expect([workIdOf(batch), engineIdOf(batch)]).toEqual([record.workId, record.workId]);
    expect(workIdOf(single)).toBe(single.record.workId);
    expect(engineIdOf(single)).toBe('certificate/cnpj/abc');
    expect(engineIdOf(decision)).toBe('certificate-batch/abc/decision-2');
    expect(laneId(decision, 1)).toBe('certificate-batch/abc/decision-2/decision-2-lane-0001');
  });
});
