import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createCreditRequestActivities } from '../../../src/activities/credit-requests';
import {
  createCreditResultActivities,
  type WaitInput,
} from '../../../src/activities/credit-results';
import type { CreditDependencies } from '../../../src/activities/dependencies';
import { creditApi } from '../../../src/apis/credit/credit';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { AnalysisFile, inputKey } from '../../../src/archive/analyses';
import { AuditTrail } from '../../../src/archive/audit-trail';
import { ClaimLedger, analysisThing } from '../../../src/archive/claim-ledger';
import { sha256Of } from '../../../src/archive/issuances';
import { putLarge } from '../../../src/archive/large-objects';
import { IdKey } from '../../../src/archive/open-archive';
import type {
  AnalysisOutcome,
  AnalysisResultRef,
  AnalysisStatus,
  RequestAnswer,
  WaitAnswer,
} from '../../../src/domain/credit/work';
import { LoopbackServer, type Reply } from '../../support/loopback-server';
import { TemporaryArchive } from '../../support/temporary-archive';

const name = 'ab'.repeat(16);

/** Real client, archive and server; only the engine is mocked, and the clock may jump. */
export class CreditBench {
  readonly place = new TemporaryArchive();
  readonly ledger = new ClaimLedger(this.place.archive);
  readonly thing = analysisThing(name);
  readonly ref = { workId: `credit/${name}/1`, folder: `analyses/${name}/1` };
  readonly server: LoopbackServer;
  readonly lost: string[] = [];
  /** Milliseconds that the injected clock is ahead of the real one. */
  ahead = 0;
  /** Of the upload, the status and the result; the specification is not there. */
  readonly replies: { upload: Reply; status: Reply; result: Reply };
  readonly #deps: CreditDependencies;

  private constructor(server: LoopbackServer) {
    this.server = server;
    this.replies = {
      upload: json(202, { id: 'op-1' }),
      status: json(200, { id: 'op-1', status: 'processing' }),
      result: json(409, {}),
    };
    server.reply = (request, response) => {
      if (request.path.endsWith('/openapi.json')) return json(404, {})(request, response);
      if (request.method === 'POST') return this.replies.upload(request, response);
      const isResult = request.path.endsWith('/result');
      return this.replies[isResult ? 'result' : 'status'](request, response);
    };
    const service = new Service({
      baseUrl: `${server.origin}/api/v1`,
      token: Token.of('secret'),
      ratePerSecond: 1_000,
    });
    const names = {
      filePart: null,
      enginePart: null,
      idField: null,
      statusField: null,
      failedStatuses: null,
    };
    const { archive } = this.place;
    this.#deps = {
      credit: creditApi(service, names, 2_000),
      archive,
      audit: new AuditTrail(archive, IdKey.parse('ab'.repeat(32)), 'worker'),
      stopping: new AbortController().signal,
      warn: () => undefined,
      answerLost: (how) => this.lost.push(how),
      now: () => Date.now() + this.ahead,
      random: () => 0.5,
    };
  }

  static async start(): Promise<CreditBench> {
    const bench = new CreditBench(await LoopbackServer.start());
    const bytes = Buffer.from('a file');
    const sha256 = sha256Of(bytes);
    const key = inputKey(sha256);
    await putLarge(bench.place.archive, key, Readable.from([bytes]));
    await new AnalysisFile(bench.place.archive).putRecord(bench.ref.folder, {
      workId: bench.ref.workId,
      name,
      cnab: { name: 'a.rem', sha256, bytes: bytes.length, key },
      xmls: null,
      engineId: null,
      engine: null,
      filter: 'all',
      receivables: 1,
      totalCents: '100',
      forced: null,
      createdAt: new Date().toISOString(),
      createdBy: 'tester',
    });
    return bench;
  }

  async close(): Promise<void> {
    await this.#deps.credit.service.close();
    await this.server.close();
    this.place.remove();
  }

  get uploads(): number {
    return this.server.received.filter(({ method }) => method === 'POST').length;
  }

  request(run: string): Promise<RequestAnswer> {
    const { requestAnalysis } = createCreditRequestActivities(this.#deps);
    return this.#environment().run(requestAnalysis, { ref: this.ref, run });
  }

  recover(run: string): Promise<RequestAnswer> {
    const { recoverAnalysis } = createCreditRequestActivities(this.#deps);
    return this.#environment().run(recoverAnalysis, { ref: this.ref, run });
  }

  wait(input: Partial<WaitInput> = {}): Promise<WaitAnswer> {
    const { awaitAnalysis } = createCreditResultActivities(this.#deps);
    const now = this.#deps.now();
    const usual = { operationId: 'op-1', acceptedAt: now, deadlineAt: now + 3_600_000 };
    return this.#environment().run(awaitAnalysis, { ...usual, ...input });
  }

  fileResults(): Promise<AnalysisResultRef> {
    const { fileResults } = createCreditResultActivities(this.#deps);
    return this.#environment().run(fileResults, { ref: this.ref, operationId: 'op-1' });
  }

  conclude(status: AnalysisStatus, operationId: string | null): Promise<AnalysisOutcome> {
    const { concludeAnalysis } = createCreditResultActivities(this.#deps);
    const about = { statusWord: null, error: null, result: null, possibleDoubleCharge: false };
    const outcome = { status, operationId, ...about, startedAt: new Date().toISOString() };
    return this.#environment().run(concludeAnalysis, { ref: this.ref, outcome });
  }

  #environment(): MockActivityEnvironment {
    return new MockActivityEnvironment({
      workflowExecution: { workflowId: `credit/${name}`, runId: 'run' },
      heartbeatTimeoutMs: 10_000,
      startToCloseTimeoutMs: 900_000,
    });
  }
}

export function json(status: number, body: unknown): Reply {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}
