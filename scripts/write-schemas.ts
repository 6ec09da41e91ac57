import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { configJsonSchema } from '../src/environment/config-file';
import { manifestSchema, reportSchema } from '../src/report/investigations/schema';
import { outputSchema } from '../src/starters/jobs/envelope';

/** JSON Schemas into the package: of what `--json` prints, of diligence.config.json, and of what investigations write. */
const folder = join(__dirname, '..', 'dist', 'schemas');
mkdirSync(folder, { recursive: true });
const write = (name: string, schema: object): void =>
  writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
write('job.json', z.toJSONSchema(outputSchema));
write('config.json', configJsonSchema());
write('investigation-report.json', z.toJSONSchema(reportSchema));
write('investigation-manifest.json', z.toJSONSchema(manifestSchema));
