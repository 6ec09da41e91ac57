import type { TraceOutcome } from '../../domain/traces/search';
import { barsPart, cardPart } from '../parts';
import type { Reader } from '../reader';
import { statusWord } from '../words';
import type { FindingsReport, SpecialPart } from './report';

/** The hits of a search, by source. */
export function tracePart({ findings, outcome }: FindingsReport, reader: Reader): SpecialPart {
  const { formats, language, say } = reader;
  const { seen } = outcome as TraceOutcome;
  const listed = findings.sections.filter(({ columns }) => columns.includes('confidence'));
  const rows = listed.flatMap((section) => section.rows);
  const bySource = new Map<string, number>();
  for (const { source } of rows) {
    const name = typeof source === 'string' ? source : say('(not told)', '(não informada)');
    bySource.set(name, (bySource.get(name) ?? 0) + 1);
  }
  const confidences = rows
    .map(({ confidence }) => confidence)
    .filter((one) => typeof one === 'number');
  const best = confidences.length === 0 ? null : Math.max(...confidences);
  const reported = Object.values(seen?.sources ?? {});
  const missing = reported.filter((word) => word === 'failed').length;
  const bars = [...bySource]
    .sort(([, a], [, b]) => b - a)
    .map(([name, amount]) => ({ name, amount }));
  const occurrences = say('Occurrences', 'Ocorrências');
  const count = formats.number(rows.length);
  const found = reader.count(
    rows.length,
    ['occurrence', 'occurrences'],
    ['ocorrência', 'ocorrências'],
  );
  const sources = reader.count(bars.length, ['source', 'sources'], ['fonte', 'fontes']);
  const partial =
    seen?.partial === true
      ? say(' Some sources did not answer.', ' Algumas fontes não responderam.')
      : '';
  return {
    kicker: say('Trace search', 'Busca de rastros'),
    headline: `${found} ${say('in', 'em')} ${sources}.${partial}`,
    tiles: [
      { name: occurrences, value: count, look: rows.length > 0 ? 'good' : '' },
      { name: say('Sources that have it', 'Fontes que o têm'), value: formats.number(bars.length) },
      {
        name: say('Sources asked', 'Fontes consultadas'),
        value: formats.number(reported.length),
        note: missing === 0 ? '' : `${formats.number(missing)} ${statusWord('failed', language)}`,
        look: missing === 0 ? '' : 'warn',
      },
      {
        name: say('Greatest confidence', 'Maior confiança'),
        value: best === null ? '–' : best > 1 ? formats.decimal(best) : formats.share(best, 1),
      },
      { name: say('Type', 'Tipo'), value: seen?.type ?? '–' },
    ],
    parts: [
      bars.length === 0
        ? null
        : cardPart(
            say('Occurrences by source', 'Ocorrências por fonte'),
            barsPart(reader, bars, {
              heads: [say('Source', 'Fonte'), occurrences],
              whole: rows.length,
              total: count,
            }),
          ),
    ],
  };
}
