/**
 * Everything that the plan `supplier` asks about one company, from a program of your own:
 * `npx tsx investigate.ts 11222333000181 out/acme`, with the settings of `.env.example` in the environment.
 */
import { connect, type JobResult } from 'diligence';

async function main([cnpj = '', folder = 'out/supplier']: string[]): Promise<void> {
  const diligence = await connect({ log: console.error });
  try {
    const job = await diligence.start('investigation', { plan: 'supplier', cnpj: [cnpj] });
    console.log(`started ${job.id}`);
    for await (const { details, stage } of job.follow()) console.log(stage, ...details);
    report(await job.result({ folder }));
  } finally {
    await diligence.close();
  }
}

function report({ folder, outcome, status }: JobResult<'investigation'>): void {
  console.log(`${status}: ${folder}/report.html`);
  for (const { id, status: end, why } of outcome.steps) console.log(`  ${id}: ${end} ${why ?? ''}`);
}

void main(process.argv.slice(2));
