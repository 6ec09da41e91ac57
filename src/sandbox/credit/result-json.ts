/** The result of an operation as JSON text, piece by piece: a tree of 50,000 titulos never is one string. */

import { seededUuid } from '../core/chance';
import type { FaultKind } from '../faults/fault-words';
import type { Judgement, SacadoJudged, TituloJudged } from './analysis';

export type ResultFilter = 'issues' | 'all';

export interface ResultHead {
  operationId: string;
  engineId: string;
  engineName: string;
  timestamp: string;
}

/** Untruths that a fault puts into the tree; `bare_issues` is none, but another way to tell it. */
export type ResultTwist = Extract<
  FaultKind,
  'wrong_summary' | 'stray_titulo' | 'unknown_entity_status' | 'extra_fields' | 'bare_issues'
>;

const pieceLength = 64 * 1024;

export function* resultPieces(
  head: ResultHead,
  judgement: Judgement,
  filter: ResultFilter,
  twist: ResultTwist | null,
): Generator<string> {
  let piece = '';
  for (const text of resultTexts(head, judgement, filter, twist)) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* resultTexts(
  head: ResultHead,
  judgement: Judgement,
  filter: ResultFilter,
  twist: ResultTwist | null,
): Generator<string> {
  const { cedente, status, issues, summary } = judgement;
  const extra = twist === 'extra_fields' ? { campoNovo: { versao: 2 } } : {};
  const id = (...words: (string | number)[]) => seededUuid([head.operationId, ...words].join('|'));
  const root = {
    id: id('cedente'),
    cnpj: cedente.document,
    razaoSocial: cedente.name,
    status,
    issues,
    ...extra,
  };
  const told = twist === 'wrong_summary' ? { ...summary, blocked: summary.blocked + 1 } : summary;
  yield open({ ...head, ...extra });
  // No word of who is approved, nor an empty list.
  const isBare = twist === 'bare_issues' && filter === 'issues';
  if (!isBare || status !== 'approved') {
    yield `,"cedente":${open(root)}`;
    const sacados = sacadoTexts(judgement.sacados, filter, twist, id);
    yield* listText('sacados', sacados, isBare);
    yield '}';
  }
  yield `,"summary":${JSON.stringify(told)}}`;
}

/** The last field of an object, or nothing where it would be an empty list that may be left out. */
function* listText(
  name: string,
  items: Iterable<Iterable<string>>,
  mayBeAbsent: boolean,
): Generator<string> {
  let isFirst = true;
  for (const item of items) {
    yield isFirst ? `,"${name}":[` : ',';
    isFirst = false;
    yield* item;
  }
  if (!isFirst) yield ']';
  else if (!mayBeAbsent) yield `,"${name}":[]`;
}

type IdOf = (...words: (string | number)[]) => string;

function* sacadoTexts(
  sacados: readonly SacadoJudged[],
  filter: ResultFilter,
  twist: ResultTwist | null,
  id: IdOf,
): Generator<Iterable<string>> {
  for (const [index, sacado] of sacados.entries()) {
    const isStray = twist === 'stray_titulo' && index === 0;
    if (filter === 'all' || sacado.status !== 'approved' || isStray) {
      const own = index === 0 || twist === 'bare_issues' ? twist : null;
      yield sacadoText(sacado, index, filter, own, id);
    }
  }
}

function* sacadoText(
  { sacado, status, issues, titulos }: SacadoJudged,
  index: number,
  filter: ResultFilter,
  twist: ResultTwist | null,
  id: IdOf,
): Generator<string> {
  yield open({
    id: id('sacado', index),
    cnpjCpf: sacado.document,
    razaoSocial: sacado.name,
    tipo: sacado.tipo,
    status,
    issues,
  });
  const shown = titulos.filter((titulo) => filter === 'all' || titulo.status !== 'approved');
  const isBare = twist === 'bare_issues' && filter === 'issues';
  yield* listText('titulos', tituloTexts(shown, twist, id, titulos[0]), isBare);
  yield '}';
}

function* tituloTexts(
  titulos: readonly TituloJudged[],
  twist: ResultTwist | null,
  id: IdOf,
  first: TituloJudged | undefined,
): Generator<Iterable<string>> {
  for (const [index, titulo] of titulos.entries()) {
    const wire = tituloOnWire(titulo, id('titulo', titulo.titulo.line));
    const isUnknown = twist === 'unknown_entity_status' && index === 0;
    yield [JSON.stringify(isUnknown ? { ...wire, status: 'em_revisao' } : wire)];
  }
  if (twist === 'stray_titulo' && first !== undefined) {
    yield [JSON.stringify({ ...tituloOnWire(first, id('stray')), status: 'blocked' })];
  }
}

function tituloOnWire({ titulo, nfeKey, status, issues }: TituloJudged, id: string) {
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
