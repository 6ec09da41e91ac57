import type { EngineCreation, EnginesApi } from '../../apis/credit/engines';
import { isOnlyAPage } from '../../apis/credit/engines.wire';
import { ContractError } from '../../apis/http/errors';
import { chooseEngine, sameName, type Engine, type EngineFields } from '../../domain/credit/engine';
import {
  isMissing,
  messageOf,
  mostSends,
  RepeatedCalls,
  type RepeatOptions,
  sentAgain,
} from '../jobs/begin/repeated-calls';
import type { Words } from '../../domain/job';
import { CommandError } from '../jobs/errors';

/** Calls about rule engines: retried where a retry is harmless, and never applied twice. */
export class EngineCalls {
  readonly #api: EnginesApi;
  readonly #print: (...words: Words) => void;
  readonly #calls: RepeatedCalls;

  constructor(api: EnginesApi, options: RepeatOptions) {
    this.#api = api;
    this.#print = options.print;
    this.#calls = new RepeatedCalls(options);
  }

  /** @throws CommandError when the service has more than one page of rule engines */
  async list(): Promise<Engine[]> {
    try {
      return await this.#calls.again(() => this.#api.list());
    } catch (error) {
      if (!isOnlyAPage(error)) throw error;
      throw new CommandError([
        'the service paginates its engine list and this client reads one page only: use the id of the engine',
        'o serviço pagina a lista de motores de regras e este cliente lê só uma página: use o id do motor',
      ]);
    }
  }

  /** @throws CommandError when there is no such rule engine */
  async read(id: string): Promise<Engine> {
    try {
      return await this.#calls.again(() => this.#api.read(id));
    } catch (error) {
      throw isMissing(error) ? unknownEngine(id) : error;
    }
  }

  /**
   * Finds a rule engine by id or name in the list.
   *
   * @throws CommandError when none matches, or several do
   */
  async find(idOrName: string): Promise<Engine> {
    return foundIn(await this.list(), idOrName);
  }

  /**
   * Creates a rule engine with a new name. On a lost response, looks the rule engine up before
   * retrying.
   *
   * @throws CommandError when the name is taken, or it is unknown whether the rule engine exists, or
   * the response of a successful call cannot be read
   */
  async create(creation: EngineCreation): Promise<Engine> {
    this.#refuseTaken(await this.list(), creation.name);
    let wasUnknown = false;
    for (let send = 1; ; send += 1) {
      try {
        const engine = await this.#api.create(creation);
        return wasUnknown ? await this.#onlyOne(engine) : engine;
      } catch (error) {
        const meaning = this.#calls.meaningOf(error);
        if (meaning === 'refused') throw error;
        await this.#calls.wait(error);
        if (meaning === 'unknown') {
          wasUnknown = true;
          const made = await this.#lookFor(creation.name, error);
          if (made !== undefined) {
            this.#print(
              'the answer was lost; the engine is there',
              'a resposta se perdeu; o motor existe',
            );
            return this.#onlyOne(await this.read(made.id));
          }
          if (error instanceof ContractError) throw createdUnread(error);
        }
        if (send >= mostSends) throw error;
        this.#print(
          `${messageOf(error)}; it is not there, so it is sent again`,
          `${messageOf(error)}; não existe, por isso é enviado de novo`,
        );
      }
    }
  }

  /**
   * Changes only the given fields; the call is idempotent.
   *
   * @throws CommandError when there is no such rule engine, or the new name is taken
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
      return await this.#calls.again(() => this.#api.update(id, change));
    } catch (error) {
      // The service accepted the change, but its response cannot be read.
      if (error instanceof ContractError) return this.read(id);
      throw isMissing(error) ? unknownEngine(idOrName) : error;
    }
  }

  /**
   * Removes a rule engine. "Not found" on a retry means done; on the first try it is an error.
   *
   * @throws CommandError when there is no such rule engine
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
        const meaning = this.#calls.meaningOf(error);
        if (meaning === 'refused' || send >= mostSends) throw error;
        mayBeGone ||= meaning === 'unknown';
        this.#print(...sentAgain(error));
        await this.#calls.wait(error);
      }
    }
  }

  async #lookFor(wanted: string, lost: unknown): Promise<Engine | undefined> {
    try {
      return (await this.list()).find(({ name }) => sameName(name, wanted));
    } catch (error) {
      throw new CommandError([
        `${messageOf(lost)}; whether the engine was created is not known, since the list cannot be read either (${messageOf(error)})`,
        `${messageOf(lost)}; não se sabe se o motor foi criado, pois a lista também não pôde ser lida (${messageOf(error)})`,
      ]);
    }
  }

  #refuseTaken(engines: readonly Engine[], name: string): void {
    const taken = engines.filter((engine) => sameName(engine.name, name));
    if (taken.length === 0) return;
    const ids = taken.map(({ id }) => id).join(', ');
    throw new CommandError([
      `an engine of that name exists: ${ids}; nothing was sent`,
      `já existe um motor com esse nome: ${ids}; nada foi enviado`,
    ]);
  }

  /** A slow POST that was taken for lost leaves two rule engines of one name. */
  async #onlyOne(engine: Engine): Promise<Engine> {
    const alike = (await this.list()).filter(({ name }) => sameName(name, engine.name));
    if (alike.length <= 1) return engine;
    const ids = alike.map(({ id }) => id).join(', ');
    throw new CommandError([
      `the engine was created ${alike.length} times, since an answer was lost: ${ids}; delete all but one`,
      `o motor foi criado ${alike.length} vezes, pois uma resposta se perdeu: ${ids}; apague todos menos um`,
    ]);
  }
}

function foundIn(engines: readonly Engine[], idOrName: string): Engine {
  const choice = chooseEngine(engines, idOrName);
  if (choice.kind === 'found') return choice.engine;
  if (choice.kind === 'none') throw unknownEngine(idOrName);
  const list = choice.engines.map(({ id, isTemplate }) =>
    isTemplate === true ? `${id} (template)` : id,
  );
  throw new CommandError([
    `${choice.engines.length} engines have the name "${idOrName}": ${list.join(', ')}; choose one by its id`,
    `${choice.engines.length} motores têm o nome "${idOrName}": ${list.join(', ')}; escolha um pelo id`,
  ]);
}

function unknownEngine(idOrName: string): CommandError {
  return new CommandError([`there is no engine "${idOrName}"`, `não há motor "${idOrName}"`]);
}

/** After a 2xx the rule engine exists, or soon will: a second POST would create a second one. */
function createdUnread(error: ContractError): CommandError {
  return new CommandError([
    `the service took the engine, and its answer cannot be read (${error.message}); the list does not have it yet: check \`engine list\` before creating it again`,
    `o serviço aceitou o motor, mas a resposta não pôde ser lida (${error.message}); ele ainda não está na lista: verifique com \`engine list\` antes de criá-lo de novo`,
  ]);
}
