import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow';
import type * as workflows from '../../src/workflows';
import type { ScenarioPatch } from '../../src/sandbox';
import { Installation, eventually, type CommandResult } from '../../test/support/diligence-process';
import { runsOf } from '../../test/support/histories';

export type WorkflowName = keyof typeof workflows;

/** Something that happens to works, and the workflows whose histories it is recorded for. */
export interface Recording {
  /** `straight`, or what happens. */
  name: string;
  of: WorkflowName[];
  play(scene: Scene): Promise<unknown>;
}

/** An installation with one worker, on which recordings are played one after the other. */
export class Scene {
  readonly place: Installation;
  readonly client: Client;

  constructor(place: Installation, client: Client) {
    this.place = place;
    this.client = client;
  }

  get sandbox(): Installation['sandbox'] {
    return this.place.sandbox;
  }

  configure(patch: ScenarioPatch): void {
    this.sandbox.configure(patch);
  }

  /** @param code that it is to end with */
  async run(words: string[], code = 0): Promise<CommandResult> {
    const result = await this.place.run(words);
    if (result.code !== code) {
      const said = `${result.stdout}\n${result.stderr}`;
      throw new Error(`${words.join(' ')}: ended with ${result.code}\n${said}`);
    }
    return result;
  }

  /** Starts a work and leaves it to its worker. @returns the id that the command prints */
  async detach(words: string[]): Promise<string> {
    const { stdout } = await this.run([...words, '--detach']);
    return stdout.trim();
  }

  async write(name: string, content: string | Buffer): Promise<string> {
    const path = join(this.place.folder, name);
    await writeFile(path, content);
    return path;
  }

  /** Kills the worker, and starts another. */
  async loseWorker(): Promise<void> {
    await this.place.stopWorkers('SIGKILL');
    await this.place.startWorker();
  }

  /** Runs something while there is no worker, so that what it starts does nothing yet. */
  async withoutWorker<T>(play: () => Promise<T>): Promise<T> {
    await this.place.stopWorkers();
    const result = await play();
    await this.place.startWorker();
    return result;
  }

  /** Starts a workflow again, before anything of it was done, with another input. */
  async startAgain<I extends object>(
    id: string,
    change: (input: I) => Partial<I> | Promise<Partial<I>>,
  ): Promise<void> {
    const workflowId = engineIdOf(id);
    const handle = this.client.workflow.getHandle(workflowId);
    const [first] = await runsOf(this.client, workflowId);
    const started = first?.events[0]?.workflowExecutionStartedEventAttributes;
    if (started?.taskQueue?.name == null || started.workflowType?.name == null) {
      throw new Error(`${workflowId}: no start on record`);
    }
    const converter = this.client.options.loadedDataConverter;
    const input = await decodeFromPayloadsAtIndex<I>(converter, 0, started.input?.payloads);
    await handle.terminate('started again');
    await this.client.workflow.start(started.workflowType.name, {
      workflowId,
      taskQueue: started.taskQueue.name,
      args: [{ ...input, ...(await change(input)) }],
    });
  }

  /** Waits for the end of a work, however it ends. */
  async end(id: string): Promise<void> {
    await this.client.workflow.getHandle(engineIdOf(id)).result();
  }

  ask<T>(id: string, query: string): Promise<T> {
    return this.client.workflow.getHandle(engineIdOf(id)).query<T>(query);
  }

  async status(id: string, says: string): Promise<void> {
    await eventually(`${id}: ${says}`, async () =>
      (await this.place.run(['show', id])).stdout.includes(says),
    );
  }

  /** A person can decide about it: the store says so a moment after the workflow does. */
  async inInbox(id: string): Promise<void> {
    await eventually(`${id} in the inbox`, async () =>
      (await this.place.run(['inbox'])).stdout.includes(id),
    );
  }
}

/** A work of which there may be several has its instant behind the id of its workflow. */
function engineIdOf(id: string): string {
  return id.replace(/(\/.+)\/\d{8}T\d+Z\w*$/, '$1');
}
