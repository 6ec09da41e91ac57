import type { MultiPolygon, Polygon, Position } from 'geojson';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { drawn, echarts, type ChartSize } from '../charts';
import type { Html } from '../html';
import type { Reader } from '../reader';

export interface MapPoint {
  latitude: number;
  longitude: number;
  /** Usually 0 to 1; null: not reported. */
  confidence: number | null;
  /** The row's number in the table. */
  number: number;
  name: string;
}

/** Degrees: a smaller map may show no coast at all. */
const leastSpan = 8;
const sides = ['right', 'left', 'top', 'bottom'] as const;

/** Places on country outlines, drawn without external resources; the surer, the darker. */
export function mapHtml(points: readonly MapPoint[], { say }: Reader): Html {
  const words = points.map(({ latitude, longitude, name, number }) => {
    const [south, west] = [latitude < 0 ? 'S' : 'N', longitude < 0 ? say('W', 'O') : say('E', 'L')];
    const [lat, long] = [latitude, longitude].map((one) => Math.abs(one).toFixed(4));
    return `${number}: ${name} ${lat}° ${south} ${long}° ${west}`;
  });
  const title = say('Map of the places', 'Mapa dos lugares');
  return drawn(
    { name: 'map', title, words: words.join('; ') },
    (size) => {
      const view = viewOf(points, size);
      echarts().registerMap('outlines', { type: 'FeatureCollection', features: outlines(view) });
      return {
        backgroundColor: 'var(--code)',
        geo: {
          map: 'outlines',
          silent: true,
          left: 0,
          right: 0,
          top: 0,
          bottom: 0,
          boundingCoords: [
            [view.west, view.north],
            [view.east, view.south],
          ],
          itemStyle: { areaColor: 'var(--card)', borderColor: 'var(--quiet)', borderWidth: 1 },
        },
        series: {
          type: 'scatter',
          coordinateSystem: 'geo',
          silent: true,
          symbolSize: 14,
          data: points.map(({ confidence, latitude, longitude, number }, at) => ({
            name: String(number),
            value: [longitude, latitude],
            // Places may be close to each other.
            label: { position: sides[at % sides.length] },
            itemStyle: {
              color: 'var(--bad)',
              opacity: Math.min(1, Math.max(0.25, confidence ?? 0.7)),
            },
          })),
          label: {
            show: true,
            formatter: '{b}',
            color: 'var(--ink)',
            fontSize: 15,
            fontWeight: 700,
            textBorderColor: 'var(--card)',
            textBorderWidth: 3,
          },
          labelLayout: { hideOverlap: true },
        },
      };
    },
    'map',
  );
}

interface View {
  west: number;
  east: number;
  south: number;
  north: number;
}

/** All points, with the proportions of the drawing. */
function viewOf(points: readonly MapPoint[], { height, width }: ChartSize): View {
  const latitudes = points.map(({ latitude }) => latitude);
  const longitudes = points.map(({ longitude }) => longitude);
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const [lat, long] = [(south + north) / 2, (west + east) / 2];
  // A degree of longitude is shorter than one of latitude.
  const stretch = Math.max(0.2, Math.cos((lat * Math.PI) / 180));
  const tall = Math.max(
    leastSpan,
    (north - south) * 1.5,
    ((east - west) * 1.5 * stretch * height) / width,
  );
  const wide = (tall * width) / height / stretch;
  return {
    west: long - wide / 2,
    east: long + wide / 2,
    south: lat - tall / 2,
    north: lat + tall / 2,
  };
}

/** Of the countries, what lies within a view. */
function outlines({ east, north, south, west }: View) {
  const { feature } = require('topojson-client') as typeof import('topojson-client');
  const world = require('world-atlas/countries-50m.json') as Topology<{
    countries: GeometryCollection;
  }>;
  const isSeen = ([ring = []]: Position[][]): boolean => {
    const [x, y] = [0, 1].map((at) => ring.map((position) => position[at] ?? 0)) as [
      number[],
      number[],
    ];
    return (
      Math.max(...x) > west &&
      Math.min(...x) < east &&
      Math.max(...y) > south &&
      Math.min(...y) < north
    );
  };
  return feature(world, world.objects.countries).features.flatMap(({ geometry }) => {
    const { coordinates, type } = geometry as Polygon | MultiPolygon;
    const polygons = type === 'Polygon' ? [coordinates] : coordinates;
    return polygons.filter(isSeen).map((polygon) => ({
      type: 'Feature' as const,
      properties: {},
      geometry: { type: 'Polygon' as const, coordinates: polygon },
    }));
  });
}
