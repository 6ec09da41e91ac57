import { countAxis, drawn, grid, issuedSoFar, timeAxis } from './charts';
import { zoneOffsetMs, type Formats } from './formats';
import type { Html } from './html';
import { steps, type OverTime, type Step } from './monitor-figures';

export const stepColours: Record<Step, string> = {
  detected: 'var(--bad)',
  delivered: 'var(--accent)',
  acknowledged: 'var(--good)',
};

/** Detected, delivered and acknowledged so far: what lies between two lines was waiting. */
export function progressChart({ axis, bars }: OverTime, formats: Formats): Html {
  const begin = axis.bars[0]?.from ?? 0;
  const end = (axis.bars.at(-1)?.from ?? begin) + axis.widthMs;
  const offset = zoneOffsetMs(begin);
  const sumOf = (step: Step): number => bars[step].reduce((sum, { count }) => sum + count, 0);
  const words = {
    name: 'progress',
    title: 'Detected, delivered and acknowledged so far',
    description: steps.map((step) => `${step}: ${sumOf(step)}`).join(', '),
  };
  return drawn(words, (size) => ({
    useUTC: true,
    grid: grid(size),
    xAxis: timeAxis(begin, end, size, formats),
    yAxis: countAxis(formats),
    series: steps.map((step) => ({
      type: 'line',
      symbol: 'none',
      silent: true,
      data: [
        [begin + offset, 0],
        ...issuedSoFar([...bars[step]]).map(({ from, count }) => {
          return [from + axis.widthMs + offset, count];
        }),
      ],
      lineStyle: { color: stepColours[step], width: 2 },
    })),
  }));
}
