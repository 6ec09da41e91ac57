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
    // The workflow thread holds all of it. A line says where something failed, without its column and the sources.
    webpackConfigHook: (config) => ({
      ...config,
      devtool: 'inline-nosources-cheap-module-source-map',
    }),
  });
  const bundle = inLatin1(code);
  await mkdir(join(root, 'dist'), { recursive: true });
  await writeFile(join(root, 'dist/workflow-bundle.js'), bundle);
  process.stdout.write(`dist/workflow-bundle.js: ${Math.round(bundle.length / 1024)} KiB\n`);
}

/** One character beyond Latin-1, in a comment, and each takes two bytes. */
function inLatin1(code: string): string {
  return code.replace(
    /[^\0-\xff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

void build();
