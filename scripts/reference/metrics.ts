import { WorkerMetrics } from '../../src/workers/metrics';
import { code, page, table } from './markdown';

/** What a worker serves at `/metrics`, from a page of one that has done nothing but one call. */
export async function metricsPage(): Promise<string> {
  const metrics = new WorkerMetrics('0', () => 0);
  const observer = metrics.observerOf('investigation');
  observer.callStarted();
  const call = { method: 'GET', pathTemplate: '/', status: 429, durationMs: 0 };
  observer.callEnded({ ...call, sent: 'maybe', credentialsRefused: true } as never);
  observer.permitAwaited('poll', 0);
  const text = await metrics.page();
  const figures = [...text.matchAll(/^# HELP (diligence_\w+) (.*)\n# TYPE \S+ (\w+)/gm)];
  return page(
    'Figures of a worker',
    'Prometheus text at `/metrics` of `DILIGENCE_METRICS_ADDRESS`, besides the usual `process_*` and `nodejs_*`. Counters begin at 0 with the process; add them up over workers. No label holds an id, a document or a token. [What to watch](../operator.md#alerts).',
    [
      table(
        ['figure', 'type', 'labels', 'means'],
        figures.map(([, name = '', help = '', type = '']) => [
          code(name),
          type,
          labelsOf(name, text).map(code).join(', '),
          help,
        ]),
      ),
    ],
  );
}

function labelsOf(name: string, text: string): string[] {
  const samples = text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\}`, 'gm'));
  const names = [...samples].flatMap(([, labels = '']) =>
    [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
  );
  return [...new Set(names)].filter((label) => label !== 'le');
}
