import type { FlatRow } from '../../domain/core/findings';
import type { LensOutcome } from '../../domain/lens/analyze';
import { cardPart } from '../parts';
import type { Reader } from '../reader';
import { mapPart, type MapPoint } from './map';
import type { FindingsReport, SpecialPart } from './report';
import { boxOf, picturePart } from './picture';

/** The picture with the faces on it, and the places on a map, numbered as in the table. */
export function lensPart(
  { findings, outcome, picture }: FindingsReport,
  reader: Reader,
): SpecialPart {
  const { formats, say } = reader;
  const { seen } = outcome as LensOutcome;
  const rowsOf = (title: string): readonly FlatRow[] =>
    findings.sections.filter((one) => one.title === title).flatMap(({ rows }) => rows);
  const points = rowsOf('places').flatMap((row, at) => pointOf(row, at + 1));
  const faces = rowsOf('faces');
  const boxes = faces.flatMap((row, at) => {
    const box = boxOf(row);
    return box === null ? [] : [{ ...box, name: String(at + 1) }];
  });
  const confidences = [...rowsOf('places'), ...faces]
    .map(({ confidence }) => confidence)
    .filter((one) => typeof one === 'number');
  const best = confidences.length === 0 ? null : Math.max(...confidences);
  const isFaces = seen?.mode === 'face';
  const found = isFaces
    ? reader.count(faces.length, ['face', 'faces'], ['rosto', 'rostos'])
    : reader.count(points.length, ['place', 'places'], ['lugar', 'lugares']);
  return {
    kicker: say('Analysis of a picture', 'Análise de imagem'),
    headline:
      seen?.hasResult === true
        ? `${found}.`
        : say('No result was told.', 'Nenhum resultado foi informado.'),
    tiles: [
      { name: say('Places', 'Lugares'), value: formats.number(points.length) },
      {
        name: say('Faces', 'Rostos'),
        value: formats.number(faces.length),
        note: boxes.length === 0 ? '' : say(`${boxes.length} marked`, `${boxes.length} marcados`),
      },
      {
        name: say('Greatest confidence', 'Maior confiança'),
        value: best === null ? '–' : best > 1 ? formats.decimal(best) : formats.share(best, 1),
      },
      { name: say('Mode', 'Modo'), value: seen?.mode ?? '–' },
      { name: say('Artifacts', 'Artefatos'), value: formats.number(seen?.artifacts ?? 0) },
    ],
    parts: [
      picture === null
        ? null
        : cardPart(say('The picture', 'A imagem'), picturePart(picture, boxes, reader)),
      points.length === 0 ? null : cardPart(say('Map', 'Mapa'), mapPart(points, reader)),
    ],
  };
}

/** Degrees; empty for invalid coordinates. */
function pointOf({ latitude, longitude, ...row }: FlatRow, number: number): MapPoint[] {
  const lat = Number(latitude);
  const long = Number(longitude);
  const isPosition =
    latitude !== null && longitude !== null && Math.abs(lat) <= 90 && Math.abs(long) <= 180;
  if (!isPosition) return [];
  const { confidence, local, nome, name, rotulo } = row;
  const reported = [local, nome, name, rotulo].find((one) => typeof one === 'string');
  const share = typeof confidence === 'number' ? confidence : null;
  return [{ latitude: lat, longitude: long, confidence: share, number, name: reported ?? null }];
}
