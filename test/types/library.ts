/** What a program may ask for is checked by its compiler. */
import { connect, type Diligence, type JobResult } from '../../src';

export async function typed(): Promise<void> {
  const diligence: Diligence = await connect();
  const job = await diligence.start('trace', { target: 'ana@example.com', deadline: '1h' });
  const { outcome }: JobResult<'trace'> = await job.result();
  outcome.seen?.billing?.amount satisfies number | null | undefined;
  const batch = await diligence.start('investigation-batch', { plan: 'supplier', input: 'a.csv' });
  batch.kind satisfies 'investigation-batch';
  // @ts-expect-error another kind has another outcome
  void outcome.steps;
  // @ts-expect-error before its end there may be none
  void (await job.show()).outcome.status;
  // @ts-expect-error no such kind
  await diligence.start('decision', {});
  // @ts-expect-error no such field
  await diligence.start('profile', { cpf: '52998224725', colour: 'red' });
  // @ts-expect-error what is asked about must be given
  await diligence.start('investigation', { plan: 'supplier', cnpj: '11222333000181' });
  // @ts-expect-error the file names the subjects
  await diligence.start('investigation-batch', { plan: 'supplier', input: 'a.csv', cnpj: ['1'] });
}
