import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';

/** Bundles the workflows once, for the worker and the tests: dist/workflow-bundle.js. */
async function build(): Promise<void> {
  const root = join(__dirname, '..');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'dist/workflows/index.js'),
    workflowInterceptorModules: [join(root, 'dist/workflows/core/job-events.js')],
    failureConverterPath: join(root, 'dist/temporal/payload/failure-converter.js'),
    logger: new DefaultLogger('WARN'),
  });
  await mkdir(join(root, 'dist'), { recursive: true });
  await writeFile(join(root, 'dist/workflow-bundle.js'), code);
  process.stdout.write(`dist/workflow-bundle.js: ${Math.round(code.length / 1024)} KiB\n`);
}

void build();
