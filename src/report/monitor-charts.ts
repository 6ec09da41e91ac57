import type { Change } from '../domain/monitors/change';
import { countAxis, drawn, grid, issuedSoFar, timeAxis } from './charts';
import { zoneOffsetMs, type Formats } from './formats';
import type { Html } from './html';
import type { OverTime } from './monitor-figures';

/** Of bars, lines and the keys below them. */
export const severityColours: Record<Change['severity'], string> = {
  critical: 'var(--bad)',
  unknown: 'var(--quiet)',
  warn: 'var(--warn)',
  info: 'var(--accent)',
};

export const lineColours = {
  detected: 'var(--bad)',
  delivered: 'var(--accent)',
  acknowledged: 'var(--good)',
} as const;

/** Of the axis of counts: a time axis has no places that a bar could fill by itself. */
const labelsWidth = 60;

/** How many changes were detected when, by severity. */
export function detectedChart(overTime: OverTime, formats: Formats): Html {
  const { begin, end, offset, middle } = spanOf(overTime);
  const words = {
    name: 'detected',
    title: 'Changes by the time of their detection',
    description: overTime.detected
      .map(([severity, bars]) => `${severity}: ${sumOf(bars)}`)
      .join(', '),
  };
  return drawn(words, (size) => ({
    useUTC: true,
    grid: grid(size),
    xAxis: timeAxis(begin, end, size, formats),
    yAxis: countAxis(formats),
    series: overTime.detected.map(([severity, bars]) => ({
      type: 'bar',
      stack: 'changes',
      silent: true,
      barWidth: Math.max(1, (0.85 * (size.width - labelsWidth)) / bars.length),
      data: bars.map(({ from, count }) => [from + middle + offset, count]),
      itemStyle: { color: severityColours[severity] },
    })),
  }));
}

/** Detected, delivered and acknowledged so far: what lies between two lines was waiting. */
export function progressChart(overTime: OverTime, formats: Formats): Html {
  const { begin, end, offset } = spanOf(overTime);
  const { widthMs } = overTime.axis;
  const all = overTime.axis.bars.map(({ from }, place) => ({
    from,
    count: overTime.detected.reduce((sum, [, bars]) => sum + (bars[place]?.count ?? 0), 0),
  }));
  const lines = [
    ['detected', all],
    ['delivered', overTime.delivered],
    ['acknowledged', overTime.acknowledged],
  ] as const;
  const words = {
    name: 'progress',
    title: 'Detected, delivered and acknowledged so far',
    description: lines.map(([name, bars]) => `${name}: ${sumOf(bars)}`).join(', '),
  };
  return drawn(words, (size) => ({
    useUTC: true,
    grid: grid(size),
    xAxis: timeAxis(begin, end, size, formats),
    yAxis: countAxis(formats),
    series: lines.map(([name, bars]) => ({
      type: 'line',
      symbol: 'none',
      silent: true,
      data: [
        [begin + offset, 0],
        ...issuedSoFar([...bars]).map(({ from, count }) => [from + widthMs + offset, count]),
      ],
      lineStyle: { color: lineColours[name], width: 2 },
    })),
  }));
}

function spanOf({ axis: { bars, widthMs } }: OverTime) {
  const begin = bars[0]?.from ?? 0;
  const end = (bars.at(-1)?.from ?? begin) + widthMs;
  return { begin, end, offset: zoneOffsetMs(begin), middle: widthMs / 2 };
}

function sumOf(bars: readonly { count: number }[]): number {
  return bars.reduce((sum, { count }) => sum + count, 0);
}
