import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { storeIn } from './temporary-store';
import { readLarge } from '../../src/store/core/large-objects';
import type { AnalysisOutcome, ResultFilter } from '../../src/domain/credit/job';
import type { CreditNamesInput, Received, Sandbox, ScenarioInput } from '../../src/sandbox';
import { cnabFile } from './cnab-files';
import { Installation, creditSettings } from './diligence-process';

/** What `credit analyze --json` prints. */
export interface ShownAnalysis {
  id: string;
  exitCode: number;
  folder: string | null;
  outcome: AnalysisOutcome;
}

export interface AnalyzeResult {
  code: number | null;
  stderr: string;
  /** Null when the command printed nothing. */
  shown: ShownAnalysis | null;
}

export interface CreditTerms {
  scenario?: ScenarioInput;
  creditNames?: CreditNamesInput;
  /** Beside `creditSettings`, for workers and commands. */
  env?: Record<string, string>;
  seed?: number;
  /** With a Temporal server of its own, whose files and log the test reads. */
  alone?: boolean;
  /** `process` where it is killed. */
  worker?: 'here' | 'process';
}

/** An installation that has files analysed, and what its sandbox and its store say of them. */
export class CreditInstallation {
  readonly installation: Installation;

  private constructor(installation: Installation) {
    this.installation = installation;
  }

  /** With one worker, ready. */
  static async start(terms: CreditTerms = {}): Promise<CreditInstallation> {
    const { scenario = {}, creditNames, env = {}, seed, alone = false, worker = 'here' } = terms;
    const given = (sandbox: Sandbox) => ({ ...creditSettings(sandbox), ...env });
    const installation = alone
      ? await Installation.startAlone(scenario, given, seed, creditNames)
      : await Installation.start(scenario, given, seed, creditNames);
    await (worker === 'here' ? installation.startWorkerHere() : installation.startWorker());
    return new CreditInstallation(installation);
  }

  get sandbox(): Sandbox {
    return this.installation.sandbox;
  }

  get folder(): string {
    return this.installation.folder;
  }

  async write(name: string, bytes: Buffer): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, bytes);
    return path;
  }

  async analyze(name: string, ...more: string[]): Promise<AnalyzeResult> {
    const out = `out-${basename(name)}`;
    const words = ['credit', 'analyze', '--input', name, '--json', '--out', out, ...more];
    const { code, stdout, stderr } = await this.installation.run(words);
    return { code, stderr, shown: stdout === '' ? null : (JSON.parse(stdout) as ShownAnalysis) };
  }

  stop(): Promise<void> {
    return this.installation.stop();
  }

  /** Uploads that arrived, whole or in part, in order; of one file by its name. */
  uploads(fileName?: string): Received[] {
    return uploadsOf(this.sandbox, fileName);
  }

  /** Operations of a file that the service really began. */
  started(fileName: string): number {
    const counted = this.sandbox.credit.counts().filter((one) => one.fileName === fileName);
    return counted.reduce((sum, { started }) => sum + started, 0);
  }

  /** A result as the service gives it to whoever asks, for comparison with what is on file. */
  async served(operationId: string, filter: ResultFilter): Promise<string> {
    const { creditBaseUrl } = this.sandbox;
    const url = `${creditBaseUrl}/v1/operations/${operationId}/result?filter=${filter}`;
    const answer = await fetch(url, { headers: { authorization: 'Bearer credit-sandbox-token' } });
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}`);
    return answer.text();
  }

  /** Both results as they lie in the store; null where one is not there. */
  async stored({ result }: AnalysisOutcome): Promise<Record<ResultFilter, string> | null> {
    if (result === null) return null;
    const store = storeIn(this.folder);
    const read = async (key: string): Promise<string> => {
      const parts: Buffer[] = [];
      for await (const part of readLarge(store, key)) parts.push(part);
      return Buffer.concat(parts).toString();
    };
    return { issues: await read(result.issuesKey), all: await read(result.allKey) };
  }
}

export function uploadsOf(sandbox: Sandbox, fileName?: string): Received[] {
  return sandbox.credit
    .received()
    .filter(({ method }) => method === 'POST')
    .filter(({ parts }) => fileName === undefined || fileNameOf(parts) === fileName);
}

/** The name under which the CNAB file of an upload was sent. */
export function fileNameOf(parts: Received['parts']): string | null {
  return parts.find(({ name, fileName }) => fileName !== null && name !== 'xmls')?.fileName ?? null;
}

/** The service has been asked, and its answer is still to come. */
export function isUnanswered({ status, abandoned }: Received): boolean {
  return status === null && !abandoned;
}

export type SheetRow = Record<string, string>;

/** A sheet of a result folder, by the names of its columns. */
export async function sheetRows(folder: string, name: string): Promise<SheetRow[]> {
  return parse(await readFile(join(folder, name)), { columns: true, bom: true });
}

/** Sum of a column of amounts such as `1234.5`, in cents, reckoned without fractions of them. */
export function centsOf(amounts: Iterable<string>): bigint {
  let sum = 0n;
  for (const amount of amounts) {
    const [units = '0', fraction = ''] = amount.split('.');
    sum += BigInt(units) * 100n + BigInt(fraction.padEnd(2, '0'));
  }
  return sum;
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Refused, unless it is forced: the third line has the number of another. */
export function outOfSequence(receivables: number): Buffer {
  const bytes = cnabFile({ receivables });
  bytes.write('000099', 2 * 401 + 394, 'latin1');
  return bytes;
}
