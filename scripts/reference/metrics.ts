import { figures } from '../../src/workers/figures';
import { code, page, table } from './markdown';

/** What a worker serves at `/metrics`. */
export function metricsPage(): string {
  return page(
    'Figures of a worker',
    'Prometheus text at `/metrics` of `DILIGENCE_METRICS_ADDRESS`, besides the usual `process_*` and `nodejs_*`. Counters begin at 0 with the process; add them up over workers. No label holds an id, a document or a token. [What to watch](../operator.md#alerts).',
    [
      table(
        ['figure', 'type', 'labels', 'means'],
        Object.entries(figures).map(([name, { type, labels, help }]) => [
          code(name),
          type,
          Object.keys(labels).map(code).join(', '),
          help,
        ]),
      ),
    ],
  );
}
