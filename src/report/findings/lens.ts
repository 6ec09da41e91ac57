import type { FlatRow } from '../../domain/core/findings';
import type { LensOutcome } from '../../domain/lens/analyze';
import type { Reader } from '../reader';
import { mapHtml, type MapPoint } from './map';
import { confidenceTile, type FindingsReport, type SpecialPart } from './report';
import { boxOf, pictureHtml } from './picture';

/** The picture with the faces on it, and the places on a map, numbered as in the table. */
export function lensPart(
  { findings, outcome, picture }: FindingsReport,
  reader: Reader,
): SpecialPart {
  const { count, say } = reader;
  const { seen } = outcome as LensOutcome;
  const rowsOf = (title: string): readonly FlatRow[] =>
    findings.sections.filter((one) => one.title === title).flatMap(({ rows }) => rows);
  const [places, faces] = [rowsOf('places'), rowsOf('faces')];
  const points = places.flatMap((row, at) => pointOf(row, at + 1));
  const boxes = faces.flatMap((row, at) => {
    const box = boxOf(row);
    return box === null ? [] : [{ ...box, name: String(at + 1) }];
  });
  const found =
    seen?.mode === 'face'
      ? count(faces.length, ['face', 'faces'], ['rosto', 'rostos'])
      : count(points.length, ['place', 'places'], ['lugar', 'lugares']);
  return {
    kicker: ['Analysis of a picture', 'Análise de imagem'],
    headline:
      seen?.hasResult === true
        ? `${found}.`
        : say('No result was told.', 'Nenhum resultado foi informado.'),
    tiles: [
      { name: ['Places', 'Lugares'], value: points.length },
      {
        name: ['Faces', 'Rostos'],
        value: faces.length,
        note: boxes.length === 0 ? '' : say(`${boxes.length} marked`, `${boxes.length} marcados`),
      },
      confidenceTile([...places, ...faces], reader),
      { name: ['Mode', 'Modo'], value: seen?.mode ?? '–' },
      { name: ['Artifacts', 'Artefatos'], value: seen?.artifacts ?? 0 },
    ],
    parts: [
      picture && {
        title: ['The picture', 'A imagem'],
        blocks: pictureHtml(picture, boxes, reader),
      },
      points.length === 0
        ? null
        : {
            title: ['Map', 'Mapa'],
            blocks: [
              mapHtml(points, reader),
              { note: say('Outlines: Natural Earth.', 'Contornos: Natural Earth.') },
            ],
          },
    ],
  };
}

/** Degrees; empty for invalid coordinates. */
function pointOf({ latitude, longitude, ...row }: FlatRow, number: number): MapPoint[] {
  const [lat, long] = [Number(latitude), Number(longitude)];
  const isPosition =
    latitude !== null && longitude !== null && Math.abs(lat) <= 90 && Math.abs(long) <= 180;
  if (!isPosition) return [];
  const { confidence, local, nome, name, rotulo } = row;
  const reported = [local, nome, name, rotulo].find((one) => typeof one === 'string');
  const share = typeof confidence === 'number' ? confidence : null;
  return [{ latitude: lat, longitude: long, confidence: share, number, name: reported ?? '' }];
}
