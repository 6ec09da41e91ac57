import type { FeatureCollection, MultiPolygon, Polygon } from 'geojson';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { html, type Html } from '../html';
import type { Reader } from '../reader';

export interface MapPoint {
  latitude: number;
  longitude: number;
  /** Usually 0 to 1; null: not reported. */
  confidence: number | null;
  /** The row's number in the table. */
  number: number;
  name: string | null;
}

/** One drawing for a desktop and for paper, one for a telephone, with text of the same size. */
const sizes = [
  { name: 'wide', width: 760, height: 420 },
  { name: 'narrow', width: 340, height: 300 },
] as const;
/** Degrees: a smaller map may show no coast at all. */
const leastSpan = 8;

/** Places on country outlines with degrees, drawn without external resources. */
export function mapPart(points: readonly MapPoint[], reader: Reader): Html {
  const { say } = reader;
  const words = points.map(({ latitude, longitude, number, name }) => {
    return `${number}: ${name ?? ''} ${degrees(latitude, 'N', 'S')} ${degrees(longitude, 'E', say('W', 'O'))}`;
  });
  const title = say('Map of the places', 'Mapa dos lugares');
  const drawings = sizes.map((size) => {
    const view = viewOf(points, size);
    return html`<svg
      class="chart ${size.name} map"
      viewBox="0 0 ${size.width} ${size.height}"
      role="img"
      aria-label="${title}: ${words.join('; ')}"
    >
      <rect width="${size.width}" height="${size.height}" class="sea" />
      <path d="${landPath(view)}" class="land" />
      ${graticule(view, say)} ${points.map((point) => mark(point, points, view))}
    </svg>`;
  });
  const more = say(
    `The darker a mark, the greater the confidence. Outlines: Natural Earth.`,
    `Quanto mais forte a marca, maior a confiança. Contornos: Natural Earth.`,
  );
  const count = reader.count(points.length, ['place', 'places'], ['lugar', 'lugares']);
  return html`${drawings}
    <p class="small muted">${count}. ${more}</p>`;
}

interface View {
  west: number;
  north: number;
  /** For longitude; a degree of latitude is longer by `stretch`. */
  pixelsPerDegree: number;
  stretch: number;
  width: number;
  height: number;
}

function viewOf(
  points: readonly MapPoint[],
  { width, height }: { width: number; height: number },
): View {
  const latitudes = points.map(({ latitude }) => latitude);
  const longitudes = points.map(({ longitude }) => longitude);
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const middle = (south + north) / 2;
  const stretch = 1 / Math.max(0.2, Math.cos((middle * Math.PI) / 180));
  const spanX = Math.max(leastSpan, (east - west) * 1.5);
  const spanY = Math.max(leastSpan / 1.5, (north - south) * 1.5);
  const pixelsPerDegree = Math.min(width / spanX, height / (spanY * stretch));
  return {
    west: (west + east) / 2 - width / pixelsPerDegree / 2,
    north: middle + height / (pixelsPerDegree * stretch) / 2,
    pixelsPerDegree,
    stretch,
    width,
    height,
  };
}

function onMap(longitude: number, latitude: number, view: View): [number, number] {
  const { north, pixelsPerDegree, stretch, west } = view;
  return [(longitude - west) * pixelsPerDegree, (north - latitude) * pixelsPerDegree * stretch];
}

function landPath(view: View): string {
  const rings = countries().features.flatMap(({ geometry }) =>
    geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat(),
  );
  return rings.map((ring) => ringPath(ring, view)).join('');
}

/** Empty for a ring outside the view; outer points move to the edge, and points at the same pixel are merged. */
function ringPath(ring: readonly (readonly number[])[], view: View): string {
  const { width, height } = view;
  const edge = 40;
  const points: string[] = [];
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [longitude = 0, latitude = 0] of ring) {
    const [x, y] = onMap(longitude, latitude, view);
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    const inView = [within(x, -edge, width + edge), within(y, -edge, height + edge)];
    const point = inView.map((one) => Math.round(one)).join(' ');
    if (points.at(-1) !== point) points.push(point);
  }
  const isSeen = right > 0 && left < width && bottom > 0 && top < height;
  return isSeen && points.length > 2 ? `M${points.join('L')}Z` : '';
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function graticule(view: View, say: Reader['say']): Html {
  const { height, north, pixelsPerDegree, stretch, west, width } = view;
  const wanted = (90 * view.width) / 760 / pixelsPerDegree;
  const step = [1, 2, 5, 10, 20, 30].find((one) => one >= wanted) ?? 45;
  const east = west + width / pixelsPerDegree;
  const south = north - height / (pixelsPerDegree * stretch);
  const meridians = multiples(west, east, step).map((longitude) => {
    const [x] = onMap(longitude, 0, view);
    const label = x > 50 && x < width - 20 ? degrees(longitude, 'E', say('W', 'O'), 0) : '';
    return html`<path d="M${x.toFixed(1)} 0V${height}" class="grid" />
      <text x="${x.toFixed(1)}" y="${height - 5}" text-anchor="middle">${label}</text>`;
  });
  const parallels = multiples(Math.max(-90, south), Math.min(90, north), step).map((latitude) => {
    const [, y] = onMap(0, latitude, view);
    const label = y > 14 && y < height - 24 ? degrees(latitude, 'N', 'S', 0) : '';
    return html`<path d="M0 ${y.toFixed(1)}H${width}" class="grid" />
      <text x="5" y="${(y - 4).toFixed(1)}">${label}</text>`;
  });
  return html`${meridians}${parallels}`;
}

function multiples(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  return Array.from(
    { length: Math.max(0, Math.floor(to / step) - first + 1) },
    (_, n) => (first + n) * step,
  );
}

/** A dot with its number on the side without neighbours. */
function mark(point: MapPoint, points: readonly MapPoint[], view: View): Html {
  const [x, y] = onMap(point.longitude, point.latitude, view);
  const at = points.indexOf(point);
  const near = points.slice(0, at).filter((other) => {
    const [otherX, otherY] = onMap(other.longitude, other.latitude, view);
    return Math.hypot(x - otherX, y - otherY) < 24;
  }).length;
  const [dx = 10, dy = 5] =
    [
      [10, 5],
      [-20, 5],
      [-4, -10],
      [-4, 20],
    ][near % 4] ?? [];
  const opacity = point.confidence === null ? 0.7 : within(point.confidence, 0.25, 1);
  return html`<circle
      cx="${x.toFixed(1)}"
      cy="${y.toFixed(1)}"
      r="7"
      class="place"
      fill-opacity="${opacity}"
    /><text x="${(x + dx).toFixed(1)}" y="${(y + dy).toFixed(1)}" class="place-number"
      >${point.number}</text
    >`;
}

function degrees(value: number, positive: string, negative: string, digits = 4): string {
  return `${Math.abs(value).toFixed(digits)}° ${value < 0 ? negative : positive}`;
}

/** Loaded with the first map. */
function countries(): FeatureCollection<Polygon | MultiPolygon> {
  const { feature } = require('topojson-client') as typeof import('topojson-client');
  const world = require('world-atlas/countries-50m.json') as Topology<{
    countries: GeometryCollection;
  }>;
  return feature(world, world.objects.countries) as FeatureCollection<Polygon | MultiPolygon>;
}
