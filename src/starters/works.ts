import { Command } from 'commander';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { EngineClient } from '../temporal/connection';
import { cancelUpdate, controlSignal, pauseUpdate, resumeUpdate } from '../workflows/messages';
import { showBatch, showSingle, batchExitCode } from './certificate-outcome';
import { outputOf, withOutput } from './certificate-flags';
import { progressLine, readProgress } from './follow';
import { summaryDocument } from './result-folder';
import { CommandError, UsageError, exitCodes, print, printJson, tell } from './terminal';
import { findWork, worksOnFile, type WorkOnFile } from './works-on-file';
import { isNotFound, openWorkplace, withEngine, type Workplace } from './workplace';

/** `list`, `status`, `result`, `cancel`, `pause`, `resume`: works, whatever their kind. */
export function workCommands(): Command[] {
  return [
    new Command('list')
      .description('List the works of this archive, newest first.')
      .option('--json', 'one JSON document on standard output')
      .action(async ({ json }: { json?: true }) => {
        await listWorks(json === true);
      }),
    idCommand('status', 'Show how a work stands.')
      .option('--json', 'one JSON document on standard output')
      .action(async (id: string | undefined, flags: { id?: string; json?: true }) => {
        await showStatus(idOf(id, flags), flags.json === true);
      }),
    withOutput(idCommand('result', 'Write the result folder of a work that has ended.')).action(
      async (id: string | undefined, flags: ResultFlags) => {
        process.exitCode = await showResult(idOf(id, flags), flags);
      },
    ),
    idCommand('cancel', 'Stop requesting; what is outstanding is still brought home.')
      .option('--now', 'leave what is outstanding at the service, with its ids on file')
      .action(async (id: string | undefined, flags: { id?: string; now?: true }) => {
        const args: [{ now: boolean }] = [{ now: flags.now === true }];
        const how = flags.now === true ? 'now' : 'wait';
        await order(
          idOf(id, flags),
          (handle) => handle.executeUpdate(cancelUpdate, { args }),
          (engine, workId) => cancelLanes(engine, workId, how),
        );
      }),
    idCommand('pause', 'Request nothing new until `resume`.').action(
      async (id: string | undefined, flags: { id?: string }) => {
        await order(idOf(id, flags), (handle) => handle.executeUpdate(pauseUpdate));
      },
    ),
    idCommand('resume', 'Go on after `pause`, or after requests were turned away.').action(
      async (id: string | undefined, flags: { id?: string }) => {
        await order(idOf(id, flags), (handle) => handle.executeUpdate(resumeUpdate));
      },
    ),
  ];
}

type ResultFlags = {
  id?: string;
  out?: string;
  excel?: true;
  pdfNames: 'id' | 'reference';
  json?: true;
};

function idCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('[id]', 'the id that the command printed when it started the work')
    .option('--id <id>', 'the same, by name');
}

function idOf(positional: string | undefined, flags: { id?: string }): string {
  const id = positional ?? flags.id;
  if (id === undefined)
    throw new UsageError('which work? give its id (`diligence list` shows them)');
  return id;
}

async function listWorks(json: boolean): Promise<void> {
  const place = await openWorkplace();
  const works = await worksOnFile(place);
  const shown = await Promise.all(
    works.map(async ({ folder, record }) => {
      const summary = await place.works.summary(folder);
      const { workId: id, kind, inputName: input, items, createdAt, createdBy } = record;
      const state = summary === null ? 'not ended' : 'ended';
      const needsAPerson = summary !== null && batchExitCode(summary) === exitCodes.needsAPerson;
      return { id, kind, input, items, createdAt, createdBy, state, needsAPerson };
    }),
  );
  if (json) {
    printJson({ works: shown });
    return;
  }
  if (shown.length === 0) tell('no works in this archive yet');
  for (const work of shown) {
    const { createdAt, state, needsAPerson, items, input, id } = work;
    const stands = needsAPerson ? `${state}, needs a person` : state;
    print(
      `${createdAt.slice(0, 19)}Z  ${stands.padEnd(22)}  ${items} item(s)  ${input ?? '-'}  ${id}`,
    );
  }
}

async function showStatus(id: string, json: boolean): Promise<void> {
  const place = await openWorkplace();
  const found = await onFile(place, id);
  const summary = await place.works.summary(found.folder);
  if (summary !== null) {
    if (json) printJson({ id, state: 'ended', summary: summaryDocument(summary) });
    else {
      print(`${id}: ended ${summary.finishedAt}`);
      for (const [status, count] of Object.entries(summary.counts)) {
        if (count > 0) print(`  ${String(count).padStart(6)}  ${status}`);
      }
    }
    return;
  }
  await withEngine(place, async (engine) => {
    const state = await engineState(engine, engineId(id));
    const progress = state === 'running' ? await readProgress(engine, engineId(id)) : null;
    if (json) printJson({ id, state, progress });
    else {
      print(`${id}: ${state}`);
      if (progress !== null) print(`  ${progressLine(progress, null)}`);
    }
  });
}

async function showResult(id: string, flags: ResultFlags): Promise<number> {
  const place = await openWorkplace();
  const { folder, record } = await onFile(place, id);
  const summary = await place.works.summary(folder);
  if (summary === null) {
    throw new CommandError(`${id} has not ended: \`diligence status ${id}\` shows how it stands`);
  }
  const output = outputOf(flags, id);
  return record.kind === 'certificate'
    ? showSingle(place, summary, output)
    : showBatch(place, summary, output);
}

async function order(
  id: string,
  update: (handle: ReturnType<EngineClient['client']['workflow']['getHandle']>) => Promise<string>,
  whenNotRunning?: (engine: EngineClient, id: string) => Promise<string | null>,
): Promise<void> {
  const place = await openWorkplace();
  const { folder } = await onFile(place, id);
  if ((await place.works.summary(folder)) !== null) {
    throw new CommandError(`${id} has ended: \`diligence result ${id}\` shows how`);
  }
  await withEngine(place, async (engine) => {
    try {
      print(await update(engine.client.workflow.getHandle(engineId(id))));
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) {
        throw new CommandError(`${id}: ${error.cause?.message ?? 'refused'}`);
      }
      const otherwise = isNotFound(error) ? await whenNotRunning?.(engine, id) : null;
      if (otherwise != null) {
        print(otherwise);
        return;
      }
      if (isNotFound(error))
        throw new CommandError(`${id} is not running: it has ended or never was`);
      throw error;
    }
  });
}

/** Lanes outlive a batch that was terminated, and are told themselves. */
async function cancelLanes(
  engine: EngineClient,
  id: string,
  how: 'wait' | 'now',
): Promise<string | null> {
  let told = 0;
  for (let number = 0; number < 8; number += 1) {
    const lane = engine.client.workflow.getHandle(`${id}/lane-${String(number).padStart(4, '0')}`);
    await lane.signal(controlSignal, { cancel: how }).then(
      () => (told += 1),
      () => undefined,
    );
  }
  return told === 0
    ? null
    : `the batch is not running; ${told} of its lanes were, and are cancelled`;
}

/** A single issuance runs under one id, whatever instant it was asked for at. */
function engineId(id: string): string {
  return /^certificate\/[^/]+\/[^/]+/.exec(id)?.[0] ?? id;
}

async function engineState(engine: EngineClient, id: string): Promise<string> {
  try {
    const { status } = await engine.client.workflow.getHandle(id).describe();
    return status.name.toLowerCase();
  } catch (error) {
    if (isNotFound(error)) return 'not known to the engine';
    throw error;
  }
}

async function onFile(place: Workplace, id: string): Promise<WorkOnFile> {
  const found = await findWork(place, id);
  if (found === null) throw new CommandError(`no work ${id} in this archive`);
  return found;
}
