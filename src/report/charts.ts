import type { EChartsOption } from 'echarts';
import type { Words } from '../domain/job';
import { Html, html } from './html';
import type { Reader } from './reader';

/** One series, by labels in order: columns, an area, or bars with their names at the left. */
export interface Chart {
  /** Also part of the ids of its drawings, which must be unique in a page. */
  name: string;
  title: Words;
  form: 'columns' | 'area' | 'bars';
  points: readonly (readonly [label: string, value: number])[];
  as?: 'count' | 'money';
  /** Colour of the page. */
  colour?: 'good' | 'accent';
}

/** One drawing for a desktop, one for a telephone, with text of the same size. */
const chartSizes = [
  { name: 'wide', width: 520, height: 250 },
  { name: 'narrow', width: 320, height: 220 },
] as const;
export type ChartSize = (typeof chartSizes)[number];

export function chartHtml(chart: Chart, reader: Reader): Html {
  const { formats, say } = reader;
  const { as = 'count', name, points, title } = chart;
  const shown = (value: number): string =>
    as === 'money' ? formats.money(value) : formats.number(value);
  const words = points.map(([label, value]) => `${label}: ${shown(value)}`).join('; ');
  const about = { name, title: say(...title), words };
  return html`<p class="muted small">${about.title}</p>
    ${drawn(about, (size) => optionOf(chart, size, reader))}`;
}

const text = { color: 'var(--muted)', fontSize: 12 } as const;
const line = { lineStyle: { color: 'var(--line)' } } as const;

function optionOf({ colour, form, points }: Chart, size: ChartSize, { formats }: Reader) {
  const isWide = size.name === 'wide';
  const data = form === 'bars' ? points.toReversed() : points;
  const color = `var(--${colour ?? 'accent'})`;
  const names = {
    type: 'category',
    data: data.map(([label]) => label),
    boundaryGap: form !== 'area',
    axisLine: line,
    axisTick: { show: false },
    axisLabel:
      form === 'bars'
        ? ({ ...text, width: isWide ? 190 : 110, overflow: 'break' } as const)
        : { ...text, hideOverlap: true },
  } as const;
  const values = {
    type: 'value',
    minInterval: 1,
    splitNumber: 4,
    axisLabel: { ...text, formatter: (value: number) => formats.number(value) },
    splitLine: line,
  } as const;
  const [xAxis, yAxis] = form === 'bars' ? [values, names] : [names, values];
  const series = { silent: true, data: data.map(([, value]) => value) };
  return {
    // Room for the last label of an axis, and for the numbers of bars.
    grid: {
      left: 4,
      right: form === 'bars' ? 36 : 24,
      top: 12,
      bottom: 4,
      outerBoundsMode: 'same',
    },
    xAxis,
    yAxis,
    series:
      form === 'area'
        ? {
            ...series,
            type: 'line',
            symbol: 'none',
            lineStyle: { color, width: 2 },
            areaStyle: { color, opacity: 0.14 },
          }
        : {
            ...series,
            type: 'bar',
            barMaxWidth: 40,
            itemStyle: { color },
            label: { ...text, show: form === 'bars', position: 'right' },
          },
  } satisfies EChartsOption;
}

/** An option drawn at each size, as text of the page. @param of its text alternatives */
export function drawn(
  { name, title, words }: { name: string; title: string; words: string },
  option: (size: ChartSize) => EChartsOption,
  look = '',
): Html {
  const drawings = chartSizes.map((size) => {
    const id = `${name}-${size.name}`;
    return html`<svg
      class="chart ${size.name} ${look}"
      viewBox="0 0 ${size.width} ${size.height}"
      role="img"
      aria-labelledby="${id}-title ${id}-desc"
    >
      <title id="${id}-title">${title}</title>
      <desc id="${id}-desc">${words}</desc>
      ${svgContent(size, option(size), id)}
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
export function echarts(): typeof import('echarts') {
  return require('echarts') as typeof import('echarts');
}
