/** The result of an operation: the rules of its engine applied to its file, rolled up to the cedente. */

import { seededUuid } from '../core/chance';
import type { FaultKind } from '../faults/faults';
import { iso, type JsonObject } from '../http/answer';
import type { Engine } from './engines';
import { issuesOf, type RuleContext } from './rules';
import type { Upload } from './upload';

export type ResultFilter = 'issues' | 'all';
type Status = 'approved' | 'alerted' | 'blocked';

/** @param fault what it puts into the tree */
export function resultOf(
  operation: { id: string; engine: Engine; upload: Upload; endsAt: number },
  filter: ResultFilter,
  fault: FaultKind | undefined,
): JsonObject {
  const { engine, id: operationId, upload } = operation;
  const { cedente, sacados, titulos } = upload.file.remittance;
  const timestamp = iso(operation.endsAt);
  const invoiceKeys = upload.xmls?.invoiceKeys ?? null;
  const context: RuleContext = { today: timestamp.slice(0, 10), invoiceKeys };
  const idOf = (...words: (string | number)[]) => seededUuid([operationId, ...words].join('|'));

  const judged = titulos.map((titulo) => {
    const issues = issuesOf(engine.rules, { titulo }, context);
    const { cents, dueOn, line, nfeKey, numero, sacado } = titulo;
    const shown = { id: idOf('titulo', line), numero, valor: cents / 100, dataVencimento: dueOn };
    return { sacado, cents, shown: { ...shown, nfeChave: nfeKey, status: worst(issues), issues } };
  });
  const summary = summaryOf(judged);
  const bySacado = new Map([...sacados.keys()].map((document) => [document, [] as typeof judged]));
  for (const one of judged) bySacado.get(one.sacado)?.push(one);
  const parties = [...sacados.values()].map(({ document, name, tipo }, index) => {
    const own = bySacado.get(document) ?? [];
    const share = (sumOfCents(own) / sumOfCents(judged)) * 100;
    const party = { field: 'cnpjCpf', document } as const;
    const issues = issuesOf(engine.rules, { party, share }, context);
    const status = worst([...issues, ...own.map(({ shown }) => shown)]);
    const children: JsonObject[] = own.map(({ shown }) => shown);
    const head = { id: idOf('sacado', index), cnpjCpf: document, razaoSocial: name, tipo };
    return { ...head, status, issues, titulos: children };
  });
  const party = { field: 'cnpj', document: cedente.document } as const;
  const issues = issuesOf(engine.rules, { party }, context);
  const status = worst([...issues, ...parties]);

  const [first] = parties[0]?.titulos ?? [];
  if (fault === 'stray_titulo') {
    parties[0]?.titulos.push({ ...first, id: idOf('stray'), status: 'blocked' });
  }
  if (fault === 'unknown_entity_status' && first) first['status'] = 'em_revisao';
  const isShown = (one: JsonObject) => filter === 'all' || one['status'] !== 'approved';
  const shown = parties
    .map((one) => ({ ...one, titulos: one.titulos.filter(isShown) }))
    .filter((one) => isShown(one) || one.titulos.length > 0);
  const { document: cnpj, name: razaoSocial } = cedente;
  return {
    operationId,
    engineId: engine.id,
    engineName: engine.name,
    timestamp,
    cedente: { id: idOf('cedente'), cnpj, razaoSocial, status, issues, sacados: shown },
    summary: {
      ...summary,
      blocked: summary.blocked + (fault === 'wrong_summary' ? 1 : 0),
      sacados: {
        total: parties.length,
        withIssues: parties.filter((one) => one.status !== 'approved').length,
      },
      cedente: { status },
    },
  };
}

function worst(parts: readonly { status: string }[]): Status {
  const has = (status: Status) => parts.some((part) => part.status === status);
  if (has('blocked')) return 'blocked';
  return has('alerted') ? 'alerted' : 'approved';
}

interface Judged {
  cents: number;
  shown: { status: Status };
}

function summaryOf(judged: readonly Judged[]) {
  const of = (status: Status) => judged.filter(({ shown }) => shown.status === status);
  const valueOf = (titulos: readonly Judged[]) => sumOfCents(titulos) / 100;
  const [approved, blocked, alerted] = [of('approved'), of('blocked'), of('alerted')];
  return {
    totalTitulos: judged.length,
    approved: approved.length,
    blocked: blocked.length,
    alerted: alerted.length,
    totalValue: valueOf(judged),
    approvedValue: valueOf(approved),
    blockedValue: valueOf(blocked),
    alertedValue: valueOf(alerted),
  };
}

function sumOfCents(titulos: readonly { cents: number }[]): number {
  return titulos.reduce((sum, { cents }) => sum + cents, 0);
}
