import { refusalsOf } from '../../../src/starters/operate/erase-plan';
import type { ErasurePlan } from '../../../src/store/erasure/plan';

const id = 'certificate-batch/0a1b';

it('names what `cancel` takes: a decision by its own id, and the job of a lane', () => {
  const plan = {
    jobs: [{ id, ended: true, whole: false }],
    undecided: [],
  } as unknown as ErasurePlan;
  const running = [`${id}/decision-2`, `${id}/decision-2/decision-2-lane-0000`, `${id}/lane-0001`];
  expect(refusalsOf(plan, { closed: [], running }).map(([en]) => en)).toEqual([
    expect.stringContaining(`\`diligence cancel ${id}/decision-2\``),
    expect.stringContaining(`\`diligence cancel ${id}\``),
  ]);
});
