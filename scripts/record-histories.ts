/**
 * Records histories of every workflow for `test/workflow/replay.test.ts`, or of those that are named:
 * `npm run record-histories [-- <workflow>...]`. Starts a Temporal server, the sandbox and a worker of
 * its own on loopback. CONTRIBUTING says when a history may be recorded anew.
 */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { ScenarioInput } from '../src/sandbox';
import { findTemporalCli } from '../src/temporal/temporal-cli';
import { Installation, creditSettings, eventually } from '../test/support/diligence-process';
import { runsOf, type RunHistory } from '../test/support/histories';
import {
  fileOf,
  historiesFolder,
  nobody,
  withoutMachine,
  type HistoryJson,
  type Seal,
} from '../test/support/recorded-histories';
import { testPayloadKeys } from '../test/support/temporary-store';
import { certificateRecordings } from './record-histories/certificates';
import { creditRecordings } from './record-histories/credit';
import { investigationRecordings } from './record-histories/investigations';
import { monitorRecordings } from './record-histories/monitors';
import { renewalRecordings } from './record-histories/renewals';
import { retentionRecordings } from './record-histories/retention';
import { Scene, type Recording } from './record-histories/scene';

const longestMs = 30 * 60_000;
/** Of one recording. */
const longestPlayMs = 3 * 60_000;

/** One a version: what a release was recorded with stays. */
const folder = join(historiesFolder, ownVersion());
const seal: Seal = { namespace: 'default', payloadKeys: testPayloadKeys };

const recordings: readonly Recording[] = [
  ...certificateRecordings,
  ...creditRecordings,
  ...investigationRecordings,
  ...monitorRecordings,
  ...renewalRecordings,
  ...retentionRecordings,
];

const scenario: ScenarioInput = {
  issuance: { waitingMs: [20, 50], processingMs: [300, 900], distribution: 'uniform' },
  credit: { analysis: { waitingMs: [10, 50], processingMs: [10, 100] } },
  dossiers: { pollAfterSeconds: 1 },
  traces: { pollAfterSeconds: 1 },
  lens: { pollAfterSeconds: 1 },
};

async function record(wanted: ReadonlySet<string>): Promise<void> {
  process.env.TEMPORAL_CLI_PATH ??= await findTemporalCli({ env: process.env, say: tell });
  const place = await Installation.startAlone(scenario, (sandbox) => ({
    ...creditSettings(sandbox),
    INVESTIGATION_RPS: '400',
    DILIGENCE_ACTOR: nobody,
  }));
  const giveUp = AbortSignal.timeout(longestMs);
  try {
    await place.startWorker();
    const scene = new Scene(place, await place.client());
    await removeOld(wanted);
    for (const recording of recordings) {
      if (!recording.of.some((workflow) => wanted.has(workflow))) continue;
      giveUp.throwIfAborted();
      await recordOne(scene, recording, wanted);
    }
    await writeFile(join(historiesFolder, 'seal.json'), `${JSON.stringify(seal, null, 2)}\n`);
  } finally {
    await place.stop();
  }
}

async function recordOne(
  scene: Scene,
  recording: Recording,
  wanted: ReadonlySet<string>,
): Promise<void> {
  const before = new Set((await executions(scene)).map(({ runId }) => runId));
  const late = sleep(longestPlayMs, 'late', { ref: false });
  if ((await Promise.race([recording.play(scene), late])) === 'late') {
    throw new Error(`${recording.of.join(', ')} ${recording.name}: took too long`);
  }
  const running = async () => (await executions(scene)).filter(isRunning);
  await eventually('every workflow has ended', async () => (await running()).length === 0);
  const later = (await executions(scene)).filter(({ runId }) => !before.has(runId));
  for (const workflow of recording.of.filter((one) => wanted.has(one))) {
    const [first] = later
      .filter(({ type, status }) => type === workflow && status.name !== 'TERMINATED')
      .sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
    if (first === undefined) throw new Error(`${workflow}-${recording.name}: nothing ran`);
    const runs = await runsOf(scene.client, first.workflowId);
    await write(`${workflow}-${recording.name}`, runs);
  }
}

async function executions({ client }: Scene): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const one of client.workflow.list()) found.push(one);
  return found;
}

function isRunning({ status }: WorkflowExecutionInfo): boolean {
  return status.name === 'RUNNING';
}

/** Of many runs the first two and the last: they hand over, and are handed something. */
async function write(name: string, runs: readonly RunHistory[]): Promise<void> {
  for (const [index, run] of runs.entries()) {
    if (index > 1 && index < runs.length - 1) continue;
    const json = JSON.parse(historyToJSON({ events: run.events })) as HistoryJson;
    const file = fileOf({
      name: runs.length === 1 ? name : `${name}-${index + 1}`,
      workflowId: run.workflowId,
      history: await withoutMachine(json, seal),
    });
    await writeFile(join(folder, file.name), file.bytes);
    tell(`${file.name}: ${run.events.length} events, ${file.bytes.length} bytes`);
  }
}

async function removeOld(wanted: ReadonlySet<string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (wanted.has(name.split('-')[0] ?? '')) await rm(join(folder, name));
  }
}

function ownVersion(): string {
  const text = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(named: readonly string[]): Promise<void> {
  const known = new Set<string>(recordings.flatMap(({ of }) => of));
  const unknown = named.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new Error(`no recording of ${unknown.join(', ')}; there are ${[...known].join(', ')}`);
  }
  await record(named.length > 0 ? new Set(named) : known);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
