import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Samples } from './run';
import { ask, type Asked } from '../test/support/requested-service';

const seconds = 600;
/** What the service takes, from which second on. */
const stages: readonly [from: number, perSecond: number][] = [
  [0, 5],
  [120, 15],
  [300, 50],
  [480, 15],
];
const allowed = (second: number): number => stages.findLast(([from]) => second >= from)?.[1] ?? 0;

/**
 * The limiter itself against a service in a time of its own, that takes 5, 15, 50 and 15 calls a second in
 * turn; draws `docs/rate.svg`.
 */
export async function followedRate(): Promise<Samples> {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const asked = await ask({ allows: allowed, rows: 1e6, forSeconds: seconds }, pass);
  mock.timers.reset();
  await writeFile(join(__dirname, '..', 'docs', 'rate.svg'), drawing(asked));
  const figures: Samples = {};
  for (const [stage, [from, perSecond]] of stages.entries()) {
    const settled = asked.answers.slice(from + 20, stages[stage + 1]?.[0] ?? seconds);
    const good = settled.reduce((sum, [answered]) => sum + answered, 0);
    const name = `docs/rate.svg: of ${perSecond} calls a second, from ${from} s`;
    figures[name] = good / (settled.length * perSecond);
  }
  return figures;
}

/** By milliseconds, and what they set off in between. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1) {
    mock.timers.tick(1);
    await turn();
  }
}

const [width, height] = [900, 330];
const frame = { left: 48, right: 12, top: 44, bottom: 40 };
const most = 60;
const x = (second: number): number =>
  frame.left + (second / seconds) * (width - frame.left - frame.right);
const y = (perSecond: number): number =>
  height - frame.bottom - (perSecond / most) * (height - frame.top - frame.bottom);
const line = (points: readonly [number, number][]): string =>
  points.map(([second, rate]) => `${x(second).toFixed(1)},${y(rate).toFixed(1)}`).join(' ');

function drawing({ answers, rates }: Asked): string {
  const takes = stages.flatMap(([from, perSecond], stage): [number, number][] => [
    [from, perSecond],
    [stages[stage + 1]?.[0] ?? seconds, perSecond],
  ]);
  // Over ten seconds: of single ones a call more or less is seen.
  const answered = answers.map(([,], second): [number, number] => {
    const around = answers.slice(Math.max(0, second - 9), second + 1);
    return [second + 1, around.reduce((sum, [good]) => sum + good, 0) / around.length];
  });
  const refused = answers.flatMap(([, count], second) => (count > 0 ? [[second, count]] : []));
  const text = (at: [number, number], words: string, more = ''): string =>
    `<text x="${at[0]}" y="${at[1]}"${more}>${words}</text>`;
  const key = (left: number, colour: string, words: string): string =>
    `<rect x="${left}" y="12" width="14" height="4" fill="${colour}"/>${text([left + 20, 18], words)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif" font-size="12" fill="#444">`,
    '<title>The rate that the limiter finds, of a service that takes 5, 15, 50 and 15 calls a second in turn</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    key(frame.left, '#bbb', 'the service takes'),
    key(200, '#1f6f8b', 'the limiter lets through'),
    key(390, '#3a9d5d', 'answered, over ten seconds'),
    key(600, '#c0392b', 'refused (429)'),
    ...[0, 10, 20, 30, 40, 50].flatMap((rate) => [
      `<path d="M${frame.left} ${y(rate)}H${width - frame.right}" stroke="#eee"/>`,
      text([frame.left - 8, y(rate) + 4], `${rate}`, ' text-anchor="end"'),
    ]),
    ...[0, 120, 240, 360, 480, 600].map((second) =>
      text([x(second), height - 22], `${second}`, ' text-anchor="middle"'),
    ),
    text([width / 2, height - 5], 'seconds', ' text-anchor="middle"'),
    text([4, 36], 'calls/s'),
    `<polyline points="${line(takes)}" fill="none" stroke="#bbb" stroke-width="3"/>`,
    `<polyline points="${line(answered)}" fill="none" stroke="#3a9d5d" stroke-width="1.2"/>`,
    `<polyline points="${line(rates.map((rate, second) => [second + 1, rate]))}" fill="none" stroke="#1f6f8b" stroke-width="1.8"/>`,
    ...refused.map(
      ([second = 0, count = 0]) =>
        `<path d="M${x(second + 1).toFixed(1)} ${y(0)}V${y(count).toFixed(1)}" stroke="#c0392b" stroke-width="2"/>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}
