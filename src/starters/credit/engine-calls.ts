import type { EngineCreation, EnginesApi } from '../../apis/credit/engines';
import { isOnlyAPage, type Engine } from '../../apis/credit/engines.wire';
import { ContractError } from '../../apis/http/errors';
import { chooseEngine, sameName, type EngineFields } from '../../domain/credit/engine';
import {
  isMissing,
  meaningOf,
  messageOf,
  repeating,
  type RepeatOptions,
} from '../jobs/begin/repeated-calls';
import { CommandError } from '../jobs/errors';

export type EngineCalls = ReturnType<typeof engineCalls>;

/** Calls about rule engines: retried where a retry is harmless, and never applied twice. */
export function engineCalls(api: EnginesApi, options: RepeatOptions) {
  const again = repeating(options);
  const list = async (): Promise<Engine[]> => {
    try {
      return await again(() => api.list());
    } catch (error) {
      if (!isOnlyAPage(error)) throw error;
      throw new CommandError([
        'the list of engines cannot be read to its end: use the id of the engine',
        'a lista de motores de regras não pode ser lida até o fim: use o id do motor',
      ]);
    }
  };
  const read = (id: string): Promise<Engine> => again(() => api.read(id)).catch(asUnknown(id));
  return {
    list,
    read,
    find: async (idOrName: string): Promise<Engine> => foundIn(await list(), idOrName),

    /** On a lost response, looks the engine up before it creates it again. */
    async create(creation: EngineCreation): Promise<Engine> {
      const isNamed = ({ name }: Engine): boolean => sameName(name, creation.name);
      refuseTaken((await list()).filter(isNamed));
      let wasUnknown = false;
      const engine = await again(
        () => api.create(creation),
        async (lost) => {
          wasUnknown = true;
          const engines = await list().catch((error: unknown) => {
            throw neverKnown(lost, error);
          });
          const made = engines.find(isNamed);
          if (made !== undefined) return read(made.id);
          if (lost instanceof ContractError) throw createdUnread(lost);
          return undefined;
        },
      );
      // A slow POST that was taken for lost leaves two rule engines of one name.
      const alike = wasUnknown ? (await list()).filter(isNamed) : [];
      if (alike.length > 1) throw madeTwice(alike);
      return engine;
    },

    /** Changes only the given fields; the call is idempotent. */
    async update(idOrName: string, change: EngineFields): Promise<Engine> {
      const { name } = change;
      const engines = await list();
      const { id } = foundIn(engines, idOrName);
      if (name !== undefined)
        refuseTaken(engines.filter((one) => one.id !== id && sameName(one.name, name)));
      return again(() => api.update(id, change)).catch((error: unknown) => {
        // The service accepted the change, but its response cannot be read.
        if (error instanceof ContractError) return read(id);
        return asUnknown(idOrName)(error);
      });
    },

    /** "Not found" on a retry means done; on the first try it is an error. */
    async remove(id: string): Promise<void> {
      let mayBeGone = false;
      await again(() =>
        api.remove(id).catch((error: unknown) => {
          if (isMissing(error) && mayBeGone) return;
          mayBeGone ||= meaningOf(error) === 'unknown';
          asUnknown(id)(error);
        }),
      );
    },
  };
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

function asUnknown(idOrName: string): (error: unknown) => never {
  return (error) => {
    throw isMissing(error) ? unknownEngine(idOrName) : error;
  };
}

function idsOf(engines: readonly Engine[]): string {
  return engines.map(({ id }) => id).join(', ');
}

function refuseTaken(taken: readonly Engine[]): void {
  if (taken.length === 0) return;
  throw new CommandError([
    `an engine of that name exists: ${idsOf(taken)}; nothing was sent`,
    `já existe um motor com esse nome: ${idsOf(taken)}; nada foi enviado`,
  ]);
}

function madeTwice(alike: readonly Engine[]): CommandError {
  return new CommandError([
    `the engine was created ${alike.length} times, since an answer was lost: ${idsOf(alike)}; delete all but one`,
    `o motor foi criado ${alike.length} vezes, pois uma resposta se perdeu: ${idsOf(alike)}; apague todos menos um`,
  ]);
}

function neverKnown(lost: unknown, error: unknown): CommandError {
  return new CommandError([
    `${messageOf(lost)}; whether the engine was created is not known, since the list cannot be read either (${messageOf(error)})`,
    `${messageOf(lost)}; não se sabe se o motor foi criado, pois a lista também não pôde ser lida (${messageOf(error)})`,
  ]);
}

/** After a 2xx the rule engine exists, or soon will: a second POST would create a second one. */
function createdUnread(error: ContractError): CommandError {
  return new CommandError([
    `the service took the engine, and its answer cannot be read (${error.message}); the list does not have it yet: check \`engine list\` before creating it again`,
    `o serviço aceitou o motor, mas a resposta não pôde ser lida (${error.message}); ele ainda não está na lista: verifique com \`engine list\` antes de criá-lo de novo`,
  ]);
}
