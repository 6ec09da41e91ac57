import { isOnlyAPage } from '../../apis/credit/engines.wire';
import { StatusError } from '../../apis/http/errors';
import { chooseEngine, type Engine, type EngineAnswer } from '../../domain/credit/engine';
import type { CreditDependencies } from '../dependencies';

/** Engines told of a choice that cannot be made: a payload is no catalogue. */
const mostTold = 50;

/** Questions about engines for commands that have no token: the workers have it (docs/protection.md). */
export function createCreditEngineActivities({ credit, warn }: CreditDependencies) {
  /** Which engine an id or a name means. A fault is thrown, and goes again. */
  async function findEngine(wanted: string): Promise<EngineAnswer> {
    let engines: Engine[];
    try {
      engines = await credit.engines.list('interactive');
    } catch (error) {
      if (isOnlyAPage(error)) {
        const reason = 'the service lists its engines page by page: choose one by its id';
        return { kind: 'unavailable', reason };
      }
      const isRefusal = error instanceof StatusError && error.status < 500 && error.status !== 429;
      if (!isRefusal) throw error;
      warn('the engines could not be listed', { status: error.status });
      return { kind: 'unavailable', reason: error.message };
    }
    const choice = chooseEngine(engines, wanted);
    if (choice.kind === 'found') return { kind: 'found', id: choice.engine.id };
    const told = choice.kind === 'none' ? engines : choice.engines;
    return {
      kind: choice.kind,
      count: told.length,
      engines: told
        .slice(0, mostTold)
        .map(({ id, name, isTemplate }) => ({ id, name: name.slice(0, 100), isTemplate })),
    };
  }

  return { findEngine };
}
