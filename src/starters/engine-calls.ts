import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineCreation, EnginesApi } from '../apis/credit/engines';
import { isOnlyAPage } from '../apis/credit/engines.wire';
import { ContractError, StatusError, isHttpError } from '../apis/http/errors';
import { chooseEngine, sameName, type Engine, type EngineFields } from '../domain/credit/engine';
import { CommandError } from './terminal';

/** How often one wish is sent, and how long a command waits between two, in milliseconds. */
const mostSends = 4;
const pauseMs = 1_000;
const longestPauseMs = 60_000;

/**
 * What a failed call means for the next one. `refused`: it would be refused again; `not_done`:
 * surely nothing happened; `unknown`: it may have been done, and the answer was lost.
 */
type Meaning = 'refused' | 'not_done' | 'unknown';

export interface EngineCallOptions {
  /** Told what goes on, one line at a time. */
  tell: (line: string) => void;
  pause?: (ms: number) => Promise<unknown>;
}

/** Calls about engines as a person wants them: again where that harms nothing, and never twice. */
export class EngineCalls {
  readonly #api: EnginesApi;
  readonly #tell: (line: string) => void;
  readonly #pause: (ms: number) => Promise<unknown>;

  constructor(api: EnginesApi, { tell, pause = sleep }: EngineCallOptions) {
    this.#api = api;
    this.#tell = tell;
    this.#pause = pause;
  }

  /** @throws CommandError when the service lists no more than a page of them */
  async list(): Promise<Engine[]> {
    try {
      return await this.#again(() => this.#api.list());
    } catch (error) {
      if (!isOnlyAPage(error)) throw error;
      throw new CommandError(
        'the service lists its engines page by page, which we cannot read: whether a name exists is not known (an engine is read, or chosen for an analysis, by its id)',
      );
    }
  }

  /** @throws CommandError when there is none */
  async read(id: string): Promise<Engine> {
    try {
      return await this.#again(() => this.#api.read(id));
    } catch (error) {
      throw isMissing(error) ? unknownEngine(id) : error;
    }
  }

  /**
   * The engine that an id or a name means, as the list has it.
   *
   * @throws CommandError when it means none, or several
   */
  async find(idOrName: string): Promise<Engine> {
    return foundIn(await this.list(), idOrName);
  }

  /**
   * Creates an engine whose name is new. Whether an answer that was lost stands for an engine is
   * looked up before anything is sent again.
   *
   * @throws CommandError when the name is taken, or nobody can say whether the engine is there, or
   * it was taken and cannot be told
   */
  async create(creation: EngineCreation): Promise<Engine> {
    this.#refuseTaken(await this.list(), creation.name);
    let wasUnknown = false;
    for (let send = 1; ; send += 1) {
      try {
        const engine = await this.#api.create(creation);
        return wasUnknown ? await this.#onlyOne(engine) : engine;
      } catch (error) {
        const meaning = this.#meaningOf(error);
        if (meaning === 'refused') throw error;
        await this.#wait(error);
        if (meaning === 'unknown') {
          wasUnknown = true;
          const made = await this.#lookFor(creation.name, error);
          if (made !== undefined) {
            this.#tell('the answer was lost; the engine is there');
            return this.#onlyOne(await this.read(made.id));
          }
          if (error instanceof ContractError) throw createdUnread(error);
        }
        if (send >= mostSends) throw error;
        this.#tell(`${messageOf(error)}; it is not there, so it is sent again`);
      }
    }
  }

  /**
   * Changes what is given and nothing else: the same change twice is one change.
   *
   * @throws CommandError when there is no such engine, or the new name is another's
   */
  async update(idOrName: string, change: EngineFields): Promise<Engine> {
    const engines = await this.list();
    const { id } = foundIn(engines, idOrName);
    if (change.name !== undefined) {
      this.#refuseTaken(
        engines.filter((engine) => engine.id !== id),
        change.name,
      );
    }
    try {
      return await this.#again(() => this.#api.update(id, change));
    } catch (error) {
      // It was taken, and what was answered cannot be read.
      if (error instanceof ContractError) return this.read(id);
      throw isMissing(error) ? unknownEngine(idOrName) : error;
    }
  }

  /**
   * Removes an engine. Gone at a second try means done; unknown at the first is an error.
   *
   * @throws CommandError when there is no such engine
   */
  async remove(id: string): Promise<void> {
    let mayBeGone = false;
    for (let send = 1; ; send += 1) {
      try {
        await this.#api.remove(id);
        return;
      } catch (error) {
        if (isMissing(error) && mayBeGone) return;
        if (isMissing(error)) throw unknownEngine(id);
        const meaning = this.#meaningOf(error);
        if (meaning === 'refused' || send >= mostSends) throw error;
        mayBeGone ||= meaning === 'unknown';
        this.#tell(`${messageOf(error)}; sent again`);
        await this.#wait(error);
      }
    }
  }

  async #lookFor(wanted: string, lost: unknown): Promise<Engine | undefined> {
    try {
      return (await this.list()).find(({ name }) => sameName(name, wanted));
    } catch (error) {
      throw new CommandError(
        `${messageOf(lost)}; whether the engine was created is not known, since the list cannot be had either (${messageOf(error)})`,
      );
    }
  }

  /** For calls that may be repeated as they are. */
  async #again<T>(call: () => Promise<T>): Promise<T> {
    for (let send = 1; ; send += 1) {
      try {
        return await call();
      } catch (error) {
        const isRead = !(error instanceof ContractError);
        if (!isRead || this.#meaningOf(error) === 'refused' || send >= mostSends) throw error;
        this.#tell(`${messageOf(error)}; sent again`);
        await this.#wait(error);
      }
    }
  }

  /** The service itself paces what it refused for now; a lost answer may still be on its way. */
  async #wait(error: unknown): Promise<void> {
    const asked = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
    if (asked > longestPauseMs) {
      throw new CommandError(
        `${messageOf(error)}: the service asks to wait ${Math.ceil(asked / 1_000)} s; try again then`,
      );
    }
    await this.#pause(Math.max(pauseMs, asked));
  }

  #meaningOf(error: unknown): Meaning {
    if (!isHttpError(error)) return 'refused';
    if (error instanceof ContractError) return 'unknown';
    if (!(error instanceof StatusError)) return error.sent === 'no' ? 'not_done' : 'unknown';
    if (this.#api.service.wasNotProcessed(error)) return 'not_done';
    const isRefusal = error.status >= 400 && error.status < 500 && error.status !== 408;
    return isRefusal ? 'refused' : 'unknown';
  }

  #refuseTaken(engines: readonly Engine[], name: string): void {
    const taken = engines.filter((engine) => sameName(engine.name, name));
    if (taken.length === 0) return;
    throw new CommandError(
      `an engine of that name exists: ${taken.map(({ id }) => id).join(', ')}; nothing was sent`,
    );
  }

  /** A POST that was slow rather than lost makes a second one. */
  async #onlyOne(engine: Engine): Promise<Engine> {
    const alike = (await this.list()).filter(({ name }) => sameName(name, engine.name));
    if (alike.length <= 1) return engine;
    throw new CommandError(
      `the engine was created ${alike.length} times, since an answer was lost: ${alike.map(({ id }) => id).join(', ')}; delete all but one`,
    );
  }
}

function foundIn(engines: readonly Engine[], idOrName: string): Engine {
  const choice = chooseEngine(engines, idOrName);
  if (choice.kind === 'found') return choice.engine;
  if (choice.kind === 'none') throw unknownEngine(idOrName);
  const list = choice.engines.map(({ id, isTemplate }) =>
    isTemplate === true ? `${id} (template)` : id,
  );
  throw new CommandError(
    `${choice.engines.length} engines have the name "${idOrName}": ${list.join(', ')}; choose one by its id`,
  );
}

function unknownEngine(idOrName: string): CommandError {
  return new CommandError(`there is no engine "${idOrName}"`);
}

/** A 2xx says that the engine is there, or soon will be: a second POST would make a second one. */
function createdUnread(error: ContractError): CommandError {
  return new CommandError(
    `the service took the engine, and its answer cannot be read (${error.message}); the list does not have it yet: look with \`engine list\` before it is created again`,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof StatusError && (error.status === 404 || error.status === 410);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
