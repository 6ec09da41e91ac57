import type { TraceOutcome } from '../../domain/traces/search';
import type { Reader } from '../reader';
import { statusWord } from '../words';
import { confidenceTile, type FindingsReport, type SpecialPart } from './report';

/** The hits of a search, by source. */
export function tracePart({ findings, outcome }: FindingsReport, reader: Reader): SpecialPart {
  const { count, formats, language, say } = reader;
  const { seen } = outcome as TraceOutcome;
  const listed = findings.sections.filter(({ columns }) => columns.includes('confidence'));
  const rows = listed.flatMap((section) => section.rows);
  const bySource = new Map<string, number>();
  for (const { source } of rows) {
    const name = typeof source === 'string' ? source : say('(not told)', '(não informada)');
    bySource.set(name, (bySource.get(name) ?? 0) + 1);
  }
  const reported = Object.values(seen?.sources ?? {});
  const missing = reported.filter((word) => word === 'failed').length;
  const bars = [...bySource]
    .sort(([, a], [, b]) => b - a)
    .map(([name, amount]) => ({ name, amount }));
  const found = count(rows.length, ['occurrence', 'occurrences'], ['ocorrência', 'ocorrências']);
  const sources = count(bars.length, ['source', 'sources'], ['fonte', 'fontes']);
  const partial =
    seen?.partial === true
      ? say(' Some sources did not answer.', ' Algumas fontes não responderam.')
      : '';
  const occurrences = ['Occurrences', 'Ocorrências'] as const;
  return {
    kicker: ['Trace search', 'Busca de rastros'],
    headline: `${found} ${say('in', 'em')} ${sources}.${partial}`,
    tiles: [
      { name: occurrences, value: rows.length, look: rows.length > 0 ? 'good' : '' },
      { name: ['Sources that have it', 'Fontes que o têm'], value: bars.length },
      {
        name: ['Sources asked', 'Fontes consultadas'],
        value: reported.length,
        note: missing === 0 ? '' : `${formats.number(missing)} ${statusWord('failed', language)}`,
        look: missing === 0 ? '' : 'warn',
      },
      confidenceTile(rows, reader),
      { name: ['Type', 'Tipo'], value: seen?.type ?? '–' },
    ],
    parts: [
      bars.length === 0
        ? null
        : {
            title: ['Occurrences by source', 'Ocorrências por fonte'],
            blocks: { bars, of: ['Source', 'Fonte'], amount: occurrences },
          },
    ],
  };
}
