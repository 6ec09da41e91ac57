import { Readable } from 'node:stream';
import { ActivityEnvironment } from '../../support/activity-environment';
import { createCreditRecoveryActivities } from '../../../src/activities/credit/recovery';
import {
  createCreditRequestActivities,
  type RequestInput,
} from '../../../src/activities/credit/requests';
import {
  createCreditResultActivities,
  type AwaitAnalysisInput,
} from '../../../src/activities/credit/results';
import type { CreditDependencies } from '../../../src/activities/dependencies';
import { pauseOnTheClock, type Pause } from '../../../src/activities/core/pause';
import { creditApi } from '../../../src/apis/credit/credit';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { AnalysisRepository, inputKey } from '../../../src/store/credit/analyses';
import { AuditTrail } from '../../../src/store/audit/trail';
import {
  analysisSubject,
  latestAttempt,
  type Attempt,
} from '../../../src/domain/core/service/attempts';
import { sha256Of } from '../../../src/store/certificates/evidence-files';
import { putLarge } from '../../../src/store/core/large-objects';
import { IdKey } from '../../../src/protection/id-key';
import type {
  AnalysisOutcome,
  AnalysisResultRef,
  RequestAnswer,
  OperationSeen,
} from '../../../src/domain/credit/job';
import type { AnalysisStatus } from '../../../src/domain/credit/kinds';
import type { Polled } from '../../../src/domain/core/service/poll-request';
import { WorkerMetrics } from '../../../src/workers/metrics';
import { LoopbackServer, type Reply } from '../../support/loopback-server';
import { TemporaryStore } from '../../support/temporary-store';

const name = 'ab'.repeat(16);

/** Real client, store and server; only the engine is mocked, and the clock may jump. */
export class CreditBench {
  readonly place = new TemporaryStore();
  readonly attempts = this.place.store.attempts;
  readonly subject = analysisSubject(name);
  readonly ref = { jobId: `credit/${name}/1`, folder: `analyses/${name}/1` };
  readonly server: LoopbackServer;
  readonly ended: string[] = [];
  readonly metrics = new WorkerMetrics('1.2.3');
  /** Milliseconds that the injected clock is ahead of the real one. */
  ahead = 0;
  /** Between two tries and two reads. */
  pause: Pause = pauseOnTheClock;
  /** Of the upload, the status and the result; the specification is not there. */
  readonly replies: { upload: Reply; status: Reply; result: Reply };
  readonly #now = (): number => Date.now() + this.ahead;
  readonly #deps: CreditDependencies;
  #requests: ReturnType<typeof createCreditRequestActivities> | null = null;

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
      now: this.#now,
    });
    const names = {
      filePart: null,
      enginePart: null,
      idField: null,
      statusField: null,
      failedStatuses: null,
    };
    const { store } = this.place;
    this.#deps = {
      credit: creditApi(service, names, 2_000),
      store,
      nameOf: (document) => IdKey.parse('ab'.repeat(32)).nameOf('document', document),
      purchaseName: (text) => IdKey.parse('ab'.repeat(32)).nameOf('manifest', text),
      audit: new AuditTrail(store, IdKey.parse('ab'.repeat(32))),
      stopping: new AbortController().signal,
      warn: () => undefined,
      metrics: {
        count: (figure, labels, by) => {
          this.ended.push((labels as { status: string }).status);
          this.metrics.count(figure, labels, by);
        },
      },
      pause: (ms, signal) => this.pause(ms, signal),
      now: this.#now,
      random: () => 0.5,
    };
  }

  static async start(): Promise<CreditBench> {
    const bench = new CreditBench(await LoopbackServer.start());
    const bytes = Buffer.from('a file');
    const sha256 = sha256Of(bytes);
    const key = inputKey(sha256);
    await putLarge(bench.place.store, key, Readable.from([bytes]));
    await new AnalysisRepository(bench.place.store).putRecord(bench.ref.folder, {
      jobId: bench.ref.jobId,
      name,
      fence: name,
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

  /** Pauses take no time from now on: the injected clock jumps over them. */
  skipPauses(): void {
    this.pause = async (ms) => void (this.ahead += ms);
  }

  get uploads(): number {
    return this.server.received.filter(({ method }) => method === 'POST').length;
  }

  /** The last attempt that sent. */
  async last(): Promise<Attempt | null> {
    return latestAttempt(await this.attempts.of(this.subject));
  }

  /** One try, unless it is to be patient. */
  request(chunk: string, patience: Partial<RequestInput> = {}): Promise<RequestAnswer> {
    return this.begin(chunk, { until: this.#deps.now(), ...patience }).answer;
  }

  /** A request for up to a minute, which the environment can cancel. */
  begin(chunk: string, patience: Partial<RequestInput> = {}) {
    this.#requests ??= createCreditRequestActivities(this.#deps);
    const { requestAnalysis } = this.#requests;
    const environment = this.#environment();
    const until = this.#deps.now() + 60_000;
    const sendBy = this.#deps.now() + 3_600_000;
    const input = { ref: this.ref, chunk, sendBy, until, before: null, ...patience };
    const answer: Promise<RequestAnswer> = environment.run(requestAnalysis, input);
    return { environment, answer };
  }

  recover(chunk: string): Promise<RequestAnswer> {
    const { recoverAnalysis } = createCreditRecoveryActivities(this.#deps);
    return this.#environment().run(recoverAnalysis, { ref: this.ref, chunk });
  }

  wait(input: Partial<AwaitAnalysisInput> = {}): Promise<Polled<OperationSeen>> {
    const { awaitAnalysis } = createCreditResultActivities(this.#deps);
    const now = this.#deps.now();
    const usual = { operationId: 'op-1', since: now, deadlineAt: now + 3_600_000, seen: 'waiting' };
    return this.#environment().run(awaitAnalysis, { ...usual, ...input });
  }

  conclude(status: AnalysisStatus, operationId: string | null = null): Promise<AnalysisOutcome> {
    const { finalizeAnalysis } = createCreditResultActivities(this.#deps);
    const nothing = { operationId, statusWord: null, error: null, result: null };
    const startedAt = new Date(this.#deps.now()).toISOString();
    const outcome = { ...nothing, status, possibleDoubleCharge: false, startedAt };
    return this.#environment().run(finalizeAnalysis, { ref: this.ref, outcome });
  }

  async fileResults(): Promise<AnalysisResultRef> {
    const polled = await this.pollResults();
    if (polled.kind !== 'settled') throw new Error(`it is ${polled.kind}`);
    return polled.value;
  }

  pollResults(): Promise<Polled<AnalysisResultRef>> {
    const { fileResults } = createCreditResultActivities(this.#deps);
    const now = this.#deps.now();
    const request = { since: now, deadlineAt: now + 3_600_000, seen: 'fetching' };
    const input = { ref: this.ref, operationId: 'op-1', ...request };
    return this.#environment().run(fileResults, input);
  }

  #environment(attempt = 1): ActivityEnvironment {
    return new ActivityEnvironment({
      attempt,
      workflowExecution: { workflowId: `credit/${name}`, runId: 'chunk' },
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
