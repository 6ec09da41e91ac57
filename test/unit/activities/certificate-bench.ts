import type { Info } from '@temporalio/activity';
import { ActivityEnvironment } from '../../support/activity-environment';
import { createCertificateRecoveryActivities } from '../../../src/activities/certificates/recovery';
import { createCertificateRequestActivities } from '../../../src/activities/certificates/requests';
import { createCertificatePollActivities } from '../../../src/activities/certificates/polls';
import type { CertificateDependencies } from '../../../src/activities/dependencies';
import { AcceptedRows } from '../../../src/activities/certificates/accepted-rows';
import { FreedSlots } from '../../../src/activities/certificates/freed-slots';
import type { CertificateAssumptions } from '../../../src/apis/assumptions';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { CertificatesApi } from '../../../src/apis/investigation/certificates';
import type { Claimed } from '../../../src/store/core/attempts';
import { AuditTrail } from '../../../src/store/audit/trail';
import { IdKey } from '../../../src/protection/id-key';
import { CertificateJobs } from '../../../src/store/certificates/jobs';
import { CertificateRowWriter } from '../../support/certificate-rows';
import type {
  RequestInput,
  RequestRow,
  RowAnswer,
  ChunkInput,
  PollAnswer,
  PollInput,
} from '../../../src/domain/certificates/certificate-rows';
import {
  attemptOf,
  certificateSubject,
  latestAttempt,
  type Attempt,
  type Claim,
  type ClaimOwner,
  type Receipt,
  type Resolution,
} from '../../../src/domain/core/service/attempts';
import type { IssuanceFact, OutcomeRecord } from '../../../src/domain/certificates/outcomes';
import { SettlingTimes } from '../../../src/domain/core/service/settling-times';
import {
  certificateFolder,
  type ItemStart,
  type RowListRef,
} from '../../../src/domain/certificates/job';
import { LoopbackServer, houseGuard } from '../../support/loopback-server';
import { TemporaryStore } from '../../support/temporary-store';

export const documents = ['11222333000181', '11444777000161', '45723174000110'] as const;
export const [documentA, documentB, documentC] = documents;

/** Real service client, real store, real server; only the engine is mocked, and the clock may jump. */
export class CertificateBench {
  readonly place = new TemporaryStore();
  readonly idKey = IdKey.parse('ab'.repeat(32));
  readonly attempts = this.place.store.attempts;
  readonly facts = this.place.store.facts;
  readonly stopping = new AbortController();
  /** As a worker has them: made once. */
  #watching: ReturnType<typeof createCertificatePollActivities> | undefined;
  readonly warnings: { message: string; about: unknown }[] = [];
  readonly counted: string[] = [];
  /** Asks every watch that runs for the instants of its rows. */
  readonly watches = new Set<() => readonly number[]>();
  readonly server: LoopbackServer;
  readonly service: Service;
  readonly deps: CertificateDependencies;
  /** Milliseconds that the injected clock is ahead of the real one. */
  ahead = 0;

  private constructor(server: LoopbackServer, assumptions: CertificateAssumptions) {
    this.server = server;
    this.service = new Service({
      baseUrl: `${server.origin}/api/v1`,
      token: Token.of('secret'),
      ratePerSecond: 1_000,
      guard: houseGuard,
    });
    this.deps = {
      certificates: new CertificatesApi(this.service, assumptions),
      store: this.place.store,
      certificateJobs: new CertificateJobs(this.place.store),
      audit: new AuditTrail(this.place.store, this.idKey),
      idKey: this.idKey,
      assumptions,
      settlingTimes: {
        cnpj: new SettlingTimes(this.service.limiter),
        trabalhista: new SettlingTimes(this.service.limiter),
      },
      stopping: this.stopping.signal,
      warn: (message, about) => this.warnings.push({ message, about }),
      metrics: {
        count: (_name, labels) => this.counted.push((labels as { status: string }).status),
        pollStarted: (requestedAt) => {
          this.watches.add(requestedAt);
          return () => this.watches.delete(requestedAt);
        },
      },
      freedSlots: new FreedSlots(this.now),
      acceptedRows: new AcceptedRows(),
      // Between two fetches of a PDF: no time.
      pause: () => Promise.resolve(),
      now: () => this.now(),
      random: () => 0.5,
    };
  }

  static async start(assumptions: Partial<CertificateAssumptions> = {}): Promise<CertificateBench> {
    const server = await LoopbackServer.start();
    return new CertificateBench(server, { pdf: 'optional', pdfAuth: 'query', ...assumptions });
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.server.close();
    this.place.remove();
  }

  readonly now = (): number => Date.now() + this.ahead;

  /** A work with one item a document; all of type `cnpj`. */
  async work(jobId: string, of: readonly string[], start?: ItemStart): Promise<RowListRef> {
    const writer = new CertificateRowWriter(
      this.place.store,
      certificateFolder(jobId),
      (text) => text,
    );
    for (const [item, document] of of.entries()) {
      const told = {
        kind: 'item',
        item,
        line: item + 2,
        type: 'cnpj',
        document,
        reference: '',
        note: '',
      } as const;
      await writer.add(start === undefined ? told : { ...told, start });
    }
    return writer.finish({
      jobId,
      kind: 'certificate-batch',
      type: 'cnpj',
      label: null,
      inputName: null,
      inputSha256: null,
      inputKey: null,
      createdAt: new Date().toISOString(),
      createdBy: 'test',
      lines: of.length,
      blankLines: 0,
    });
  }

  request(
    list: RowListRef,
    fields: Partial<ChunkInput> = {},
    info: Partial<Info> = {},
  ): Promise<RowAnswer[]> {
    const { requestCertificates } = createCertificateRequestActivities(this.deps);
    const input = {
      slots: list.items,
      sendBy: Number.MAX_SAFE_INTEGER,
      ...requestInput(list, fields),
    };
    return environment(list, info).run(requestCertificates, input);
  }

  recover(list: RowListRef, fields: Partial<RequestInput> = {}): Promise<RowAnswer[]> {
    const { recoverRequests } = createCertificateRecoveryActivities(this.deps);
    return environment(list).run(recoverRequests, requestInput(list, fields));
  }

  reread(list: RowListRef, fields: Partial<RequestInput> = {}): Promise<RowAnswer[]> {
    const { rereadReceipts } = createCertificateRecoveryActivities(this.deps);
    return environment(list).run(rereadReceipts, requestInput(list, fields));
  }

  watch(
    list: RowListRef,
    fields: Partial<PollInput>,
    env = environment(list),
  ): Promise<PollAnswer> {
    this.#watching ??= createCertificatePollActivities(this.deps);
    const { pollCertificates } = this.#watching;
    return env.run(pollCertificates, {
      list,
      name: 'lane-0000',
      poll: 1,
      rows: [],
      rowDeadlineMs: 3_600_000,
      boundMs: 5_000,
      lingerMs: 20,
      slotLingerMs: 20,
      reuseSince: 0,
      interactive: false,
      ...fields,
    });
  }

  subject(document: string): string {
    return certificateSubject('cnpj', this.idKey.nameOf('document', document));
  }

  history(document: string): Promise<Attempt[]> {
    return this.attempts.of(this.subject(document));
  }

  /** The last attempt that sent. */
  async last(document: string): Promise<Attempt | null> {
    return latestAttempt(await this.history(document));
  }

  async attemptOf(document: string, owner: ClaimOwner): Promise<Attempt | null> {
    return attemptOf(await this.history(document), owner);
  }

  async receive(document: string, n: number, receipt: Receipt): Promise<Receipt> {
    const attempt = (await this.history(document)).find((one) => one.n === n);
    if (attempt === undefined) throw new Error(`no attempt ${n}`);
    return this.attempts.putReceipt(this.subject(document), attempt, receipt);
  }

  resolve(document: string, n: number, resolution: Resolution): Promise<void> {
    return this.attempts.resolve(this.subject(document), n, resolution);
  }

  claim(document: string, fields: Partial<Claim> = {}, n = 1): Promise<Claimed> {
    const claim: Claim = {
      owner: { workflowId: 'elsewhere', chunk: `r${n}` },
      kind: 'send',
      nonce: `nonce-${n}`,
      answerBy: this.now() + 35_000,
      claimedAt: this.now(),
      afterUnknown: false,
      ...fields,
    };
    return this.attempts.claim(this.subject(document), n, claim, 'elsewhere');
  }

  async putFact(certidaoId: string, fields: Partial<IssuanceFact> = {}): Promise<void> {
    const fact: IssuanceFact = {
      certidaoId,
      type: 'cnpj',
      status: 'issued',
      settledAt: this.now(),
      completedAt: null,
      classification: 'negativa',
      divergent: null,
      officialName: null,
      baseName: null,
      holderName: null,
      sourceName: null,
      capturedAt: null,
      pdfKey: null,
      sha256: null,
      errorCode: null,
      errorCategory: null,
      errorMessage: null,
      retryable: null,
      retryAfterMs: null,
      note: '',
      answer: {},
      ...fields,
    };
    await this.facts.put([{ fact, pdf: null }]);
  }

  async outcomes(list: RowListRef): Promise<OutcomeRecord[]> {
    const found: OutcomeRecord[] = [];
    for await (const outcome of this.place.store.outcomes.all(list.outcomesIn)) found.push(outcome);
    return found;
  }
}

export function environment(list: RowListRef, info: Partial<Info> = {}): ActivityEnvironment {
  const workflowId = list.folder.replace('works/', '');
  return new ActivityEnvironment({
    workflowExecution: { workflowId, runId: '0a1b2c3d-run' },
    heartbeatTimeoutMs: 10_000,
    startToCloseTimeoutMs: 60_000,
    ...info,
  });
}

function requestInput(list: RowListRef, fields: Partial<RequestInput>): RequestInput {
  return {
    list,
    name: 'lane-0000',
    chunk: 'r1',
    rows: Array.from({ length: list.items }, (_, rowIndex): RequestRow => [rowIndex, 0, 'normal']),
    reuseSince: Date.now() - 86_400_000,
    interactive: false,
    ...fields,
  };
}
