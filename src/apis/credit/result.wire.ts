import { z } from 'zod';
import type {
  Analysis,
  AnalysisHead,
  AnalysedPayer,
  AnalysedReceivable,
  AnalysisIssue,
} from '../../domain/credit/analysis';
import { ContractError, type CallName } from '../http/errors';
import { parseWire } from '../http/tolerant';
import { JsonLists } from './json-lists';

/**
 * The service's shape of an analysis (specification: "Analysis result"). Unknown fields are dropped, missing and empty
 * ones are null, unknown words pass. Required: the tree, and a status on each entity of it.
 */
const mostExact = Number.MAX_SAFE_INTEGER;
// One function for each: a union of schemas takes several times as long, for each of 50,000 receivables.
const reported = z
  .unknown()
  .optional()
  .transform((value): string | null => {
    if (typeof value === 'string') return value === '' ? null : value;
    // A longer number has lost digits in JSON.parse.
    return typeof value === 'number' && Math.abs(value) <= mostExact ? String(value) : null;
  });
const amount = z
  .unknown()
  .optional()
  .transform((value): number | null => {
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    const isNumber = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value);
    return isNumber ? Number(value) : null;
  });
const status = z.string().min(1);

const issueWire = z.object({
  ruleId: reported,
  ruleName: reported,
  category: reported,
  status: reported,
  message: reported,
  detail: z
    .union([
      z.object({ field: reported, actual: reported, expected: reported, threshold: reported }),
      z
        .string()
        .min(1)
        .transform((sentence) => ({ sentence })),
    ])
    .nullish()
    .catch(null),
  dataSource: reported,
});
const issuesWire = z
  .array(issueWire)
  .nullish()
  .transform((issues): AnalysisIssue[] => (issues ?? []).map(issueFromWire));

/** Entries were passed on one by one. */
const entries = z.array(z.unknown());
const cedenteWire = z.object({
  id: reported,
  cnpj: reported,
  razaoSocial: reported,
  status,
  issues: issuesWire,
  sacados: entries,
});
const sacadoWire = z.object({
  id: reported,
  cnpjCpf: reported,
  razaoSocial: reported,
  tipo: reported,
  status,
  issues: issuesWire,
  titulos: entries,
});
const tituloWire = z.object({
  id: reported,
  numero: reported,
  valor: amount,
  dataVencimento: reported,
  nfeChave: reported,
  status,
  issues: issuesWire,
});
const summaryWire = z.object({
  totalTitulos: amount,
  approved: amount,
  blocked: amount,
  alerted: amount,
  totalValue: amount,
  approvedValue: amount,
  blockedValue: amount,
  alertedValue: amount,
  sacados: z.object({ total: amount, withIssues: amount }).nullish().catch(null),
  cedente: z.object({ status: reported }).nullish().catch(null),
});
const headWire = z.object({
  operationId: reported,
  engineId: reported,
  engineName: reported,
  timestamp: reported,
  summary: summaryWire,
});
const analysisWire = headWire.extend({ cedente: cedenteWire });
/** Approved entities may be missing, and so may empty lists (specification: rule 1). */
const issuesAloneWire = headWire.extend({
  cedente: cedenteWire.extend({ sacados: entries.nullish() }).nullish(),
});
const sacadoOfIssuesWire = sacadoWire.extend({ titulos: entries.nullish() });

export interface AnalysisVisitor {
  /** Called before its payer: a payer's own fields may follow its receivables. */
  receivable?(receivable: AnalysedReceivable, payer: number): void;
  payer?(analysed: AnalysedPayer, payer: number): void;
  /** Raw values; the head comes last, with its lists empty. */
  asItCame?(value: unknown, of: 'titulo' | 'sacado' | 'head'): void;
}

/**
 * Streams a complete result (`filter=all`) and holds one receivable at a time: 50,000 of them take no more memory than
 * one. For a response as for a stored copy.
 *
 * @param call named in errors
 * @throws ContractError when it is not JSON, cut short, or lacks a required field
 */
export async function readAnalysis(
  call: CallName,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  visitor: AnalysisVisitor = {},
): Promise<Analysis> {
  const root = await rootOf(call, sacadoWire, body, visitor);
  visitor.asItCame?.(root, 'head');
  return analysisFromWire(call, root);
}

/**
 * The same for a result of issues only (`filter=issues`), in which approved entities may be missing.
 *
 * @throws as `readAnalysis`
 */
export async function readIssues(
  call: CallName,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  visitor: AnalysisVisitor = {},
): Promise<AnalysisHead> {
  const root = await rootOf(call, sacadoOfIssuesWire, body, visitor);
  const { cedente: _, ...head } = parseWire(issuesAloneWire, call, root);
  return headFromWire(head);
}

/** Passes the leaves on, and returns the rest. */
async function rootOf(
  call: CallName,
  payerWire: typeof sacadoWire | typeof sacadoOfIssuesWire,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  visitor: AnalysisVisitor,
): Promise<unknown> {
  let payers = 0;
  const lists = new JsonLists(listPaths, (value, list) => {
    visitor.asItCame?.(value, list === payerList ? 'sacado' : 'titulo');
    if (list === payerList) {
      const wire = parseWire(payerWire, call, value, ['cedente', 'sacados', payers]);
      visitor.payer?.(payerFromWire(wire), payers);
      payers += 1;
    } else visitor.receivable?.(receivableFromWire(call, value, payers), payers);
  });
  try {
    for await (const chunk of body) lists.write(chunk);
    return lists.end();
  } catch (error) {
    // Its message may quote values.
    if (error instanceof SyntaxError)
      throw new ContractError(call, [{ path: '', code: 'broken_json' }]);
    throw error;
  }
}

const listPaths = [
  ['cedente', 'sacados'],
  ['cedente', 'sacados', '*', 'titulos'],
] as const;
const payerList = 0;

function analysisFromWire(call: CallName, root: unknown): Analysis {
  const { cedente, ...head } = parseWire(analysisWire, call, root);
  const { cnpj: document, razaoSocial: name, sacados: _, ...assignor } = cedente;
  return { ...headFromWire(head), assignor: { ...assignor, document, name } };
}

function headFromWire({ summary, ...head }: z.output<typeof headWire>): AnalysisHead {
  const { cedente, sacados, totalTitulos: receivables, ...sums } = summary;
  return {
    ...head,
    summary: {
      ...sums,
      receivables,
      payers: sacados?.total ?? null,
      payersWithIssues: sacados?.withIssues ?? null,
      assignorStatus: cedente?.status ?? null,
    },
  };
}

function payerFromWire(wire: z.output<typeof sacadoOfIssuesWire>): AnalysedPayer {
  const { cnpjCpf: document, razaoSocial: name, tipo: kind, titulos: _, ...payer } = wire;
  return { ...payer, document, name, kind };
}

function receivableFromWire(call: CallName, value: unknown, payer: number): AnalysedReceivable {
  const wire = parseWire(tituloWire, call, value, ['cedente', 'sacados', payer, 'titulos']);
  const { numero: number, valor, dataVencimento: dueOn, nfeChave: invoiceKey, ...rest } = wire;
  return { ...rest, number, value: valor, dueOn, invoiceKey };
}

function issueFromWire(wire: z.output<typeof issueWire>): AnalysisIssue {
  const { detail, dataSource: source, message, ...issue } = wire;
  const isSentence = detail !== null && detail !== undefined && 'sentence' in detail;
  return {
    ...issue,
    message: isSentence ? withSentence(message, detail.sentence) : message,
    ...(isSentence ? noDetail : (detail ?? noDetail)),
    source,
  };
}

const noDetail = { field: null, actual: null, expected: null, threshold: null };

function withSentence(message: string | null, sentence: string): string {
  return message === null || message === sentence ? sentence : `${message} (${sentence})`;
}
