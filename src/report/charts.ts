import type { EChartsOption } from 'echarts';
import { zoneOffsetMs, type Formats } from './formats';
import { readableWidth, type Bars } from './histogram';
import { Html, html } from './html';

export interface ChartSize {
  /** Also part of the drawing's ids, which must be unique in a page. */
  name: string;
  width: number;
  height: number;
}

/** One drawing for a desktop, one for a telephone, with text of the same size. */
export const chartSizes: readonly ChartSize[] = [
  { name: 'wide', width: 520, height: 250 },
  { name: 'narrow', width: 320, height: 220 },
];

/** Text alternatives of a drawing. */
export interface ChartWords {
  name: string;
  title: string;
  description: string;
}

/** Issued certificates over time, from the job's start. */
export function issuedOverTimeChart(
  { bars, widthMs }: Bars,
  startedAt: number,
  words: ChartWords,
  formats: Formats,
): Html {
  const first = bars[0]?.from ?? startedAt;
  const end = (bars.at(-1)?.from ?? first) + widthMs;
  const begin = Math.min(first, Math.max(startedAt, first - (end - first)));
  // The axis reads UTC: instants are shifted so that its marks are round hours of the zone.
  const offset = zoneOffsetMs(begin);
  const points = issuedSoFar(bars).map(({ from, count }) => [from + widthMs + offset, count]);
  return drawn(words, (size) => ({
    useUTC: true,
    grid: grid(size),
    xAxis: timeAxis(begin, end, size, formats),
    yAxis: countAxis(formats),
    series: [
      {
        type: 'line',
        symbol: 'none',
        silent: true,
        data: [[begin + offset, 0], [first + offset, 0], ...points],
        lineStyle: { color: 'var(--good)', width: 2 },
        areaStyle: { color: 'var(--good)', opacity: 0.14 },
      },
    ],
  }));
}

/** A time axis in UTC: add `zoneOffsetMs` of its begin to its instants. */
export function timeAxis(begin: number, end: number, { name }: ChartSize, formats: Formats) {
  const span = end - begin;
  const offset = zoneOffsetMs(begin);
  const step = readableWidth(span, name === 'wide' ? 6 : 3);
  const first = Math.ceil((begin + offset) / step) * step;
  const count = Math.floor((end + offset - first) / step) + 1;
  const customValues = Array.from({ length: count }, (_, n) => first + n * step);
  return {
    ...plainAxis,
    type: 'time',
    min: begin + offset,
    max: end + offset,
    axisTick: { ...plainAxis.axisTick, customValues },
    axisLabel: {
      ...label,
      customValues,
      formatter: (at: number) => formats.axisTime(at - offset, span),
    },
  } as const;
}

/** Cumulative sums of the bars. */
export function issuedSoFar(bars: Bars['bars']): Bars['bars'] {
  let sum = 0;
  return bars.map(({ from, count }) => ({ from, count: (sum += count) }));
}

export type WaitUnit = 's' | 'min' | 'h' | 'd';
const unitMs: Record<WaitUnit, number> = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** The readable unit for a histogram of waits. */
export function waitUnit({ bars, widthMs }: Bars): WaitUnit {
  const end = (bars.at(-1)?.from ?? 0) + widthMs;
  if (end <= 120_000) return 's';
  if (end <= 7_200_000) return 'min';
  return end <= 259_200_000 ? 'h' : 'd';
}

/** Distribution of waiting times. */
export function waitsChart(waits: Bars, words: ChartWords, formats: Formats): Html {
  const { bars, widthMs } = waits;
  const unit = unitMs[waitUnit(waits)];
  const end = (bars.at(-1)?.from ?? 0) + widthMs;
  return drawn(words, (size) => ({
    grid: grid(size),
    xAxis: {
      ...plainAxis,
      type: 'value',
      min: 0,
      max: end / unit,
      splitNumber: size.name === 'wide' ? 6 : 4,
      axisLabel: {
        ...label,
        showMaxLabel: false,
        formatter: (value: number) => formats.decimal(value),
      },
    },
    yAxis: countAxis(formats),
    series: [
      {
        type: 'bar',
        silent: true,
        barCategoryGap: bars.length > 1 ? '12%' : '60%',
        data: bars.map(({ from, count }) => [(from + widthMs / 2) / unit, count]),
        itemStyle: { color: 'var(--accent)' },
      },
    ],
  }));
}

export const label = { color: 'var(--muted)', fontSize: 12 } as const;

const plainAxis = {
  axisLine: { lineStyle: { color: 'var(--line)' } },
  axisTick: { lineStyle: { color: 'var(--line)' } },
  splitLine: { show: false },
} as const;

/** @param own of its labels */
export function categoryAxis(data: string[], own: object) {
  return {
    type: 'category',
    data,
    axisLine: { lineStyle: { color: 'var(--line)' } },
    axisTick: { show: false },
    axisLabel: { ...label, ...own },
  } as const;
}

export function countAxis(formats: Formats) {
  return {
    type: 'value',
    minInterval: 1,
    splitNumber: 4,
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { ...label, formatter: (value: number) => formats.number(value) },
    splitLine: { lineStyle: { color: 'var(--line)' } },
  } as const;
}

export function grid({ name }: ChartSize) {
  const right = name === 'wide' ? 16 : 12;
  return { left: 4, right, top: 12, bottom: 4, outerBoundsMode: 'same' } as const;
}

export function drawn(words: ChartWords, options: (size: ChartSize) => EChartsOption): Html {
  const drawings = chartSizes.map((size) => {
    const inner = svgContent(size, options(size), `${words.name}-${size.name}`);
    const id = `${words.name}-${size.name}`;
    return html`<svg
      class="chart ${size.name}"
      viewBox="0 0 ${size.width} ${size.height}"
      role="img"
      aria-labelledby="${id}-title ${id}-desc"
    >
      <title id="${id}-title">${words.title}</title>
      <desc id="${id}-desc">${words.description}</desc>
      ${inner}
    </svg>`;
  });
  return html`${drawings}`;
}

/** Content of the svg element that echarts draws, without its style sheet and its ids. */
function svgContent({ width, height }: ChartSize, option: EChartsOption, id: string): Html {
  const chart = echarts().init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      textStyle: { fontFamily: 'system-ui, sans-serif' },
      ...option,
    });
    const svg = chart.renderToSVGString();
    const content = svg
      .replace(/^<svg[^>]*>/, '')
      .replace(/<\/svg>\s*$/, '')
      .replaceAll(/<style[^]*?<\/style>/g, '')
      .replaceAll(/ class="[^"]*"/g, '')
      .replaceAll(/zr\d+-/g, `${id}-`);
    return new Html(content);
  } finally {
    chart.dispose();
  }
}

/** Loaded with the first picture: it takes a tenth of a second, which other commands save. */
function echarts(): typeof import('echarts') {
  return require('echarts') as typeof import('echarts');
}
