/** Calls the credit side of the sandbox over real sockets, as a stranger would. */

import { Agent, FormData, request } from 'undici';
import { startSandbox, type CreditPatch, type SandboxOptions } from '../../../src/sandbox';
import { cnabFile, type FileTerms } from '../../support/cnab-files';
import type { CallOptions, Reply } from './raw-caller';

/** One second in the queue, two at work. */
const analysis = {
  waitingMs: [1000, 1000] as [number, number],
  processingMs: [2000, 2000] as [number, number],
};
export const untilDoneMs = 3000;

export type Part = string | Buffer | { bytes: Buffer; fileName: string };

export interface UploadParts {
  /** Null: no part of that name. */
  file?: Part | null;
  xmls?: Part;
  engineId?: string;
  more?: readonly (readonly [name: string, part: Part])[];
}

export async function startCreditCaller(options: SandboxOptions = {}) {
  const credit = { analysis, ...options.scenario?.credit };
  const scenario = { ...options.scenario, credit };
  const sandbox = await startSandbox({ clock: 'manual', ...options, scenario });
  const { names } = sandbox.credit;
  const agent = new Agent({ connections: 20 });

  /** The path follows the base address, which ends in /api/v1. */
  async function call(method: string, path: string, withWhat: CallOptions = {}): Promise<Reply> {
    const { token = 'credit-sandbox-token', body, headers, signal = null } = withWhat;
    const isForm = body instanceof FormData;
    const reply = await request(`${sandbox.creditBaseUrl}${path}`, {
      method: method as 'GET',
      dispatcher: agent,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : isForm ? body : asText(body),
      signal,
    });
    const bytes = Buffer.from(await reply.body.arrayBuffer());
    return { status: reply.statusCode, headers: reply.headers, bytes, json: asJson(bytes) };
  }

  function formOf({ file = cnabFile(), xmls, engineId, more = [] }: UploadParts): FormData {
    const form = new FormData();
    if (file !== null) append(form, names.filePart, file, 'remessa.rem');
    if (xmls !== undefined) append(form, 'xmls', xmls, 'notas.zip');
    if (engineId !== undefined) form.append(names.enginePart, engineId);
    for (const [name, part] of more) append(form, name, part, `${name}.bin`);
    return form;
  }

  const upload = (parts: UploadParts = {}, withWhat: CallOptions = {}) =>
    call('POST', '/v1/operations', { body: formOf(parts), ...withWhat });
  const operation = (id: string) => call('GET', `/v1/operations/${id}`);
  const result = (id: string, query = '') => call('GET', `/v1/operations/${id}/result${query}`);

  /** Uploads, moves the clock until the analysis is over, and returns the id. */
  async function analysed(parts: UploadParts = {}): Promise<string> {
    const { json } = await upload(parts);
    sandbox.clock.advance(untilDoneMs);
    return String(json[names.idField]);
  }

  async function createEngine(rules: object, name = 'Motor'): Promise<string> {
    const { json } = await call('POST', '/v1/engines', { body: { name, rules } });
    return String(json['id']);
  }

  return {
    sandbox,
    call,
    upload,
    operation,
    result,
    analysed,
    createEngine,
    configure: (patch: CreditPatch) => sandbox.configure({ credit: patch }),

    /** The whole tree of an analysis under an engine with these rules. */
    async treeOf(parts: UploadParts, rules?: object): Promise<Tree> {
      const engineId = rules === undefined ? undefined : await createEngine(rules);
      const id = await analysed(engineId === undefined ? parts : { ...parts, engineId });
      return (await result(id, '?filter=all')).json as unknown as Tree;
    },

    async close(): Promise<void> {
      await sandbox.close();
      await agent.close();
    },
  };
}

export type CreditCaller = Awaited<ReturnType<typeof startCreditCaller>>;

export interface Issue {
  ruleId: string;
  ruleName: string;
  category: string;
  status: string;
  message: string;
  detail: Record<'field' | 'actual' | 'expected' | 'threshold', string>;
  dataSource: string;
}
export interface Tree {
  operationId: string;
  engineId: string;
  engineName: string;
  timestamp: string;
  cedente: {
    id: string;
    cnpj: string;
    razaoSocial: string;
    status: string;
    issues: Issue[];
    sacados: {
      id: string;
      cnpjCpf: string;
      razaoSocial: string;
      tipo: string;
      status: string;
      issues: Issue[];
      titulos: {
        id: string;
        numero: string;
        valor: number;
        dataVencimento: string;
        nfeChave: string;
        status: string;
        issues: Issue[];
      }[];
    }[];
  };
  summary: Record<string, unknown>;
}

/** Ids of the rules that spoke, in order, wherever they did. */
export function rulesThatSpoke({ cedente }: Tree): string[] {
  const issues = [
    ...cedente.issues,
    ...cedente.sacados.flatMap((sacado) => [
      ...sacado.issues,
      ...sacado.titulos.flatMap((titulo) => titulo.issues),
    ]),
  ];
  return issues.map(({ ruleId }) => ruleId);
}

/** A file that no standard rule minds, but for what the terms say. */
export function soundFile(terms: FileTerms = {}): Buffer {
  return cnabFile({ bank: 'paulista', receivables: 4, ...terms });
}

function append(form: FormData, name: string, part: Part, fileName: string): void {
  if (typeof part === 'string') form.append(name, part);
  else if (Buffer.isBuffer(part)) form.append(name, new Blob([part]), fileName);
  else form.append(name, new Blob([part.bytes]), part.fileName);
}

function asText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function asJson(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  } catch {
    return undefined as unknown as Record<string, unknown>;
  }
}
