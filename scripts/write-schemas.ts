import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { outputSchema } from '../src/starters/cli/envelope';

/** The JSON Schema of what `--json` prints, into the package. */
const folder = join(__dirname, '..', 'dist', 'schemas');
mkdirSync(folder, { recursive: true });
const schema = z.toJSONSchema(outputSchema);
writeFileSync(join(folder, 'job.json'), `${JSON.stringify(schema, null, 2)}\n`);
