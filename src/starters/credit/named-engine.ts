import type { EngineAnswer, EngineLabel } from '../../domain/credit/engine';
import { isUuid } from '../../domain/core/uuid';
import { queueName } from '../../domain/core/queues';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { findEngine } from '../../workflows/credit/find-engine';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { CommandError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { warnWithoutPollers, withEngine, type CommandContext } from '../jobs/context';

/**
 * The id of an engine by its id or name. A name is looked up by a worker, which is the one that has
 * address and token of the service (docs/protection.md): the command needs neither, nor does `dev`.
 *
 * @throws CommandError when it means none, or several, or nobody can tell
 */
export async function engineIdOf(place: CommandContext, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted.trim().toLowerCase();
  const answer = await answerOfWorker(place, wanted);
  if (answer.kind === 'found') return answer.id;
  throw new CommandError(`${whyNone(wanted, answer)}; nothing was sent`);
}

async function answerOfWorker(place: CommandContext, wanted: string): Promise<EngineAnswer> {
  return withEngine(place, async (engine) => {
    await refuseMissingSearchAttributes(engine);
    const workflowId = `credit-engine/${place.idKey.nameOf('manifest', `engine\n${wanted}`)}`;
    const handle = await engine.client.workflow.start<typeof findEngine>('findEngine', {
      workflowId,
      taskQueue: queueName('workflows', place.queueSuffix),
      args: [{ wanted, queueSuffix: place.queueSuffix }],
      typedSearchAttributes: attributesAtStart('credit-engine', workflowId),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowExecutionTimeout: '5m',
    });
    await warnWithoutPollers(engine, place, 'credit');
    return handle.result();
  });
}

function whyNone(wanted: string, answer: Exclude<EngineAnswer, { kind: 'found' }>): string {
  const name = printable(wanted);
  if (answer.kind === 'unavailable') {
    return `which engine "${name}" is could not be asked (${answer.reason}): choose it by its id, or try again`;
  }
  const { kind, count, engines } = answer;
  const more = count > engines.length ? `, and ${count - engines.length} more` : '';
  const told = `${engines.map((engine) => labelOf(engine, kind === 'none')).join(', ')}${more}`;
  if (kind === 'several') {
    return `${count} engines have the name "${name}": ${told}; choose one by its id`;
  }
  return count === 0
    ? `there is no engine "${name}", nor any other`
    : `there is no engine "${name}"; there are ${told}`;
}

function labelOf({ id, name, isTemplate }: EngineLabel, withName: boolean): string {
  const template = isTemplate === true ? 'template' : '';
  if (!withName) return template === '' ? id : `${id} (${template})`;
  return `"${printable(name)}" (${[id, template].filter((word) => word !== '').join(', ')})`;
}
