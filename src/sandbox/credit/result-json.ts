/** The result of an operation as JSON text, piece by piece: a tree of 50,000 titulos never is one string. */

import { seededUuid } from '../core/chance';
import type { FaultKind } from '../faults/fault-words';
import type { JsonObject } from '../http/answer';
import type { Judgement, SacadoJudged, TituloJudged } from './analysis';

export type ResultFilter = 'issues' | 'all';

export interface ResultHead {
  operationId: string;
  engineId: string;
  engineName: string;
  timestamp: string;
}

const pieceLength = 64 * 1024;

/** @param twist what a fault puts into the tree */
export function* resultPieces(
  head: ResultHead,
  judgement: Judgement,
  filter: ResultFilter,
  twist: FaultKind | null,
): Generator<string> {
  let piece = '';
  for (const text of resultTexts(head, judgement, filter, twist)) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

type IdOf = (...words: (string | number)[]) => string;

function* resultTexts(
  head: ResultHead,
  { cedente, status, issues, sacados, summary }: Judgement,
  filter: ResultFilter,
  twist: FaultKind | null,
): Generator<string> {
  const id: IdOf = (...words) => seededUuid([head.operationId, ...words].join('|'));
  const extra = twist === 'extra_fields' ? { campoNovo: { versao: 2 } } : {};
  const isShown = (one: { status: string }) => filter === 'all' || one.status !== 'approved';
  yield open({ ...head, ...extra });
  const { document: cnpj, name: razaoSocial } = cedente;
  const root = { id: id('cedente'), cnpj, razaoSocial, status, issues, ...extra };
  yield `,"cedente":${open(root)}`;
  let before = ',"sacados":[';
  for (const [index, sacado] of sacados.entries()) {
    const isStray = twist === 'stray_titulo' && index === 0;
    if (!isStray && !isShown(sacado)) continue;
    const titulos = titulosOf(sacado, isShown, index === 0 ? twist : null, id);
    yield before + JSON.stringify({ ...sacadoOnWire(sacado, id('sacado', index)), titulos });
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
  const blocked = summary.blocked + (twist === 'wrong_summary' ? 1 : 0);
  yield `,"summary":${JSON.stringify({ ...summary, blocked })}}`;
}

function sacadoOnWire({ sacado, status, issues }: SacadoJudged, id: string): JsonObject {
  const { document: cnpjCpf, name: razaoSocial, tipo } = sacado;
  return { id, cnpjCpf, razaoSocial, tipo, status, issues };
}

function titulosOf(
  { titulos }: SacadoJudged,
  isShown: (titulo: TituloJudged) => boolean,
  twist: FaultKind | null,
  id: IdOf,
): JsonObject[] {
  const shown = titulos
    .filter(isShown)
    .map((titulo) => tituloOnWire(titulo, id('titulo', titulo.titulo.line)));
  const [first] = shown;
  if (twist === 'unknown_entity_status' && first !== undefined) first['status'] = 'em_revisao';
  const [any] = titulos;
  if (twist === 'stray_titulo' && any !== undefined) {
    shown.push({ ...tituloOnWire(any, id('stray')), status: 'blocked' });
  }
  return shown;
}

function tituloOnWire({ titulo, nfeKey, status, issues }: TituloJudged, id: string): JsonObject {
  return {
    id,
    numero: titulo.numero,
    valor: titulo.cents / 100,
    dataVencimento: titulo.dueOn,
    nfeChave: nfeKey,
    status,
    issues,
  };
}

/** The object without its closing brace. */
function open(json: object): string {
  return JSON.stringify(json).slice(0, -1);
}
