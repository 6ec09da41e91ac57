import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { RefusedAddressError, type AddressGuard } from '../protection/address-guard';
import { CallEnd } from '../apis/http/call-end';
import { answerHead, type Exchange } from '../apis/http/exchange';
import { retryAfterMs } from '../apis/http/problem';
import { inParallel } from '../store/core/in-parallel';
import { backoffMs } from '../domain/core/service/poll-timing';
import { deliveryBody, type Delivery } from '../domain/monitors/delivery';
import type { DeliveryBatch, DeliveryOutcome, Sink } from './sink';
import { Slots } from './slots';

export interface WebhookSettings {
  url: string;
  /** `whsec_...`; several while a secret is rotated: each signs. */
  secrets: readonly string[];
  guard: AddressGuard;
}

export interface WebhookOptions {
  /** For one delivery, from connection to response. */
  timeoutMs?: number;
  connectTimeoutMs?: number;
  /** Maximum of concurrent POSTs, over all batches. */
  atOnce?: number;
  /** Time for one batch: no POST starts after it. A receiver may be slow, and other batches be waiting. */
  batchMs?: number;
  /**
   * Time for retries of one delivery: no try starts after it. A pause that the receiver requests is
   * waited for up to this bound; a longer one is left to the caller.
   */
  patienceMs?: number;
  now?: () => number;
  /** Between two tries. */
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Response bodies are discarded. */
const maxAnswerBytes = 64 * 1024;
/** Replaces `patienceMs` after a delivery without any accepted try: the receiver is down. */
const patienceWhenDownMs = 1_000;
const backoff = { baseMs: 250, maxMs: 2_000 };
/** A longer pause requested by the receiver is a mistake; the rate limiter has the same bound. */
const longestAgainMs = 3_600_000;
/** After this many consecutive failed deliveries the receiver is down: the rest of the batch is not tried. */
const mostFailuresInARow = 3;

/** Result of one POST. `isTransient`: a retry may succeed. */
interface Answer {
  outcome: DeliveryOutcome;
  isTransient: boolean;
}

/**
 * Sends changes by POST, signed as Standard Webhooks specifies: `webhook-id` is the id of the change, so that
 * a receiver recognises a repeat. Transient failures are retried within bounds; later retries
 * are left to the caller.
 */
export class WebhookSink implements Sink {
  readonly name = 'webhook';
  readonly #url: URL;
  readonly #keys: readonly Buffer[];
  readonly #call: Exchange['call'];
  readonly #atOnce: number;
  readonly #batchMs: number;
  readonly #patienceMs: number;
  readonly #slots: Slots;
  readonly #now: () => number;
  readonly #wait: NonNullable<WebhookOptions['wait']>;
  readonly #agent: Agent;
  #lastTakenAt = 0;
  #isDown = false;

  constructor(
    { url, secrets, guard }: WebhookSettings,
    {
      timeoutMs = 15_000,
      connectTimeoutMs = 5_000,
      atOnce = 16,
      batchMs = 5 * 60_000,
      patienceMs = 30_000,
      now = Date.now,
      wait = (ms, signal) => sleep(ms, undefined, { signal }),
    }: WebhookOptions = {},
  ) {
    this.#url = new URL(url);
    this.#keys = secrets.map((secret) => Buffer.from(secret.replace('whsec_', ''), 'base64'));
    this.#call = { method: 'POST', pathTemplate: 'webhook', timeoutMs, maxBytes: maxAnswerBytes };
    this.#atOnce = atOnce;
    this.#batchMs = batchMs;
    this.#patienceMs = patienceMs;
    this.#slots = new Slots(atOnce);
    this.#now = now;
    this.#wait = wait;
    this.#agent = new Agent({
      // The port is the operator's choice.
      connect: guard.connector(connectTimeoutMs, 'any'),
      allowH2: false,
      connections: atOnce,
      pipelining: 1,
      keepAliveTimeout: 4_000,
    });
  }

  async deliver({ deliveries }: DeliveryBatch, signal?: AbortSignal): Promise<DeliveryOutcome[]> {
    const receiver = new Receiver(this.#patienceMs, this.#now, this.#wait);
    const endAt = this.#now() + this.#batchMs;
    return inParallel(deliveries, this.#atOnce, async (delivery) => {
      const outcome = await this.#deliverOne(delivery, receiver, endAt, signal);
      receiver.learn(outcome);
      return outcome;
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #deliverOne(
    delivery: Delivery,
    receiver: Receiver,
    endAt: number,
    signal?: AbortSignal,
  ): Promise<DeliveryOutcome> {
    let last: DeliveryOutcome | null = null;
    let beganAt: number | null = null;
    for (let tried = 1; ; tried += 1) {
      const closed = await receiver.ready(signal);
      if (closed !== null) return last ?? closed;
      // The timeout of a response starts with a slot: waiting for one is no failure.
      const answer = await this.#slots.within(endAt - this.#now(), signal, async () => {
        const closedMeanwhile = await receiver.ready(signal);
        if (closedMeanwhile !== null) return { outcome: closedMeanwhile, isTransient: false };
        beganAt ??= this.#now();
        return this.#post(delivery, signal);
      });
      signal?.throwIfAborted();
      if (answer === null) return last ?? this.#outOfTime(endAt - this.#batchMs);
      last = answer.outcome;
      if (last.kind === 'taken') this.#learnTaken();
      if (!answer.isTransient || last.kind !== 'failed') return last;
      receiver.pause(last);
      const waitMs = backoffMs(tried, Math.random(), backoff);
      if (!this.#isPatient(beganAt ?? endAt, waitMs)) return last;
      await this.#wait(waitMs, signal);
    }
  }

  #learnTaken(): void {
    this.#lastTakenAt = this.#now();
    this.#isDown = false;
  }

  /** For a delivery first tried at `beganAt`. A receiver that is down costs each page little. */
  #isPatient(beganAt: number, waitMs: number): boolean {
    const triedUntil = this.#now() + waitMs - beganAt;
    if (triedUntil > this.#patienceMs && this.#lastTakenAt < beganAt) this.#isDown = true;
    const shortMs = Math.min(patienceWhenDownMs, this.#patienceMs);
    return triedUntil <= (this.#isDown ? shortMs : this.#patienceMs);
  }

  /** A receiver that accepts nothing is down, not slow. */
  #outOfTime(beganAt: number): DeliveryOutcome {
    return this.#lastTakenAt >= beganAt
      ? { kind: 'untried', why: 'the webhook is slow: not tried in the time that a page has' }
      : { kind: 'failed', why: 'the webhook took nothing for minutes: not tried', againInMs: null };
  }

  async #post(delivery: Delivery, signal?: AbortSignal): Promise<Answer> {
    const body = JSON.stringify(messageOf(delivery));
    const seconds = Math.floor(this.#now() / 1_000);
    const content = `${delivery.id}.${seconds}.${body}`;
    const end = new CallEnd(signal);
    try {
      const { status, headers } = await answerHead({
        dispatcher: this.#agent,
        request: {
          origin: this.#url.origin,
          path: `${this.#url.pathname}${this.#url.search}`,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'user-agent': 'diligence',
            'webhook-id': delivery.id,
            'webhook-timestamp': String(seconds),
            'webhook-signature': this.#keys.map((key) => signed(key, content)).join(' '),
          },
          body,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        call: this.#call,
        end,
        onStart: () => undefined,
      });
      const reported = headers['retry-after'];
      const afterMs = retryAfterMs(Array.isArray(reported) ? reported[0] : reported, this.#now());
      const againInMs = afterMs === null ? null : Math.min(afterMs, longestAgainMs);
      const isTransient = status >= 500 || status === 429 || status === 408;
      return { outcome: outcomeOf(status, againInMs), isTransient };
    } catch (error) {
      const outcome = { kind: 'failed', why: faultOf(error, end.isLate), againInMs: null } as const;
      return { outcome, isTransient: !(error instanceof RefusedAddressError) };
    } finally {
      end.release();
    }
  }
}

/** The state of the receiver, from the responses of one batch. */
class Receiver {
  readonly #longestPauseMs: number;
  readonly #now: () => number;
  readonly #wait: NonNullable<WebhookOptions['wait']>;
  #pausedUntil = 0;
  #failures = 0;
  #closed: DeliveryOutcome | null = null;

  constructor(
    longestPauseMs: number,
    now: () => number,
    wait: NonNullable<WebhookOptions['wait']>,
  ) {
    this.#longestPauseMs = longestPauseMs;
    this.#now = now;
    this.#wait = wait;
  }

  /** Waits as long as the receiver requested. @returns the outcome of a delivery that is not tried */
  async ready(signal?: AbortSignal): Promise<DeliveryOutcome | null> {
    while (this.#closed === null && this.#pausedUntil > this.#now()) {
      await this.#wait(this.#pausedUntil - this.#now(), signal);
    }
    return this.#closed;
  }

  /** After a try: the receiver may request a pause. */
  pause(outcome: Extract<DeliveryOutcome, { kind: 'failed' }>): void {
    const pauseMs = outcome.againInMs ?? 0;
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + pauseMs);
    if (pauseMs > this.#longestPauseMs) this.#close(outcome);
  }

  /** After a delivery. */
  learn(outcome: DeliveryOutcome): void {
    if (outcome.kind === 'disabled') this.#closed = outcome;
    this.#failures = outcome.kind === 'failed' ? this.#failures + 1 : 0;
    if (outcome.kind === 'failed' && this.#failures >= mostFailuresInARow) this.#close(outcome);
  }

  #close(outcome: Extract<DeliveryOutcome, { kind: 'failed' }>): void {
    this.#closed ??= { ...outcome, why: `${outcome.why}, as for others before it: not tried` };
  }
}

/** Statuses about the one change; any other refusal is the receiver's, and transient. */
const aboutTheChange = new Set([400, 406, 409, 413, 415, 422]);

function outcomeOf(status: number, againInMs: number | null): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  if (status === 410) {
    return { kind: 'disabled', why: 'the webhook answered 410: it wants no more changes' };
  }
  if (status >= 300 && status < 400) {
    const why = `the webhook answered ${status}: redirects are not followed`;
    return { kind: 'failed', why, againInMs: null };
  }
  const why = `the webhook answered ${status}`;
  return aboutTheChange.has(status) ? { kind: 'refused', why } : { kind: 'failed', why, againInMs };
}

/** Without the address and the error's own text: both may contain a secret. */
function faultOf(error: unknown, isLate: boolean): string {
  if (error instanceof RefusedAddressError) return `the webhook was not called: ${error.message}`;
  const { code } = error as { code?: unknown };
  if (isLate || (typeof code === 'string' && code.endsWith('_TIMEOUT'))) {
    return 'the webhook did not answer in time';
  }
  const word = typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : 'no answer';
  return `the webhook could not be reached (${word})`;
}

/** As Standard Webhooks specifies. */
function signed(key: Buffer, content: string): string {
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

function messageOf(delivery: Delivery): unknown {
  const isChange = delivery.kind === 'change';
  return {
    type: isChange ? 'monitor.change' : 'monitor.digest',
    timestamp: isChange ? delivery.stored.seenAt : delivery.digest.to,
    data: deliveryBody(delivery),
  };
}
