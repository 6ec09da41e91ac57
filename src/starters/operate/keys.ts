import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import type { Store } from '../../store/store';
import { openStore } from '../../store/open-store';
import { findIdKey } from '../../store/find-id-key';
import { queueSuffix } from '../../domain/core/queues';
import { ConfigError, readEnvironment, type Environment } from '../../environment';
import { KeyRing } from '../../protection/key-ring';
import { EngineUnreachableError, engineAddress } from '../../temporal/connection';
import {
  faultSentence,
  keyChecks,
  keyFault,
  proveKeys,
  registerKey,
} from '../../temporal/key-checks';
import {
  keyHolders,
  leftBehind,
  nextStep,
  type KeyHolder,
  type RotationStep,
} from '../../temporal/key-rotation';
import { reachEngine } from '../../temporal/open-engine';
import {
  findPayloadKeys,
  payloadKeysPath,
  writePayloadKeys,
  type PayloadKeys,
} from '../../temporal/payload-keys';
import { keyMark } from '../../temporal/worker-identity';
import { CommandError } from '../jobs/errors';
import { exitCodes, print, printJson, tell } from '../cli/terminal';

/** `diligence keys`: the keys that payloads are encrypted with. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('The keys that payloads are encrypted with: DILIGENCE_PAYLOAD_KEYS, or a file.')
    .addCommand(
      new Command('generate')
        .description('Print one new key, as DILIGENCE_PAYLOAD_KEYS takes it, and nothing else.')
        .action(() => print(KeyRing.generateEntry())),
    )
    .addCommand(
      new Command('rotate')
        .description(
          'Do the next of two steps: add a new key (which only decrypts); when every worker has it, let it encrypt.',
        )
        .addHelpText(
          'after',
          '\nA list that is configured is printed on standard output, to be set; one in the data directory is changed there.',
        )
        .action(rotate),
    )
    .addCommand(
      new Command('check')
        .description(
          'Show which keys we have, the store asks for and the workers hold; change nothing.',
        )
        .option('--json', 'one JSON document on standard output')
        .action(async ({ json }: { json?: true }) => {
          process.exitCode = await check(json === true);
        }),
    );
}

interface Keys {
  environment: Environment;
  store: Store;
  found: PayloadKeys;
}

/** The store without its seal: check values lie there in the clear, and the keys may not fit. */
async function openKeys(): Promise<Keys> {
  const environment = readEnvironment();
  const found = await findPayloadKeys(environment, engineAddress().kind);
  const { idKey } = await findIdKey(environment.dataDir, environment.idKey);
  return { environment, found, store: await openStore(environment, idKey) };
}

async function rotate(): Promise<void> {
  const keys = await openKeys();
  const ring = keys.found.keys;
  if (ring === 'off') {
    throw new ConfigError('DILIGENCE_PAYLOAD_KEYS', 'is off: there is no key to rotate');
  }
  await proveKeys(keys.store, ring);
  const step = await askStep(keys, ring);
  if (step.kind === 'add') await addKey(keys, ring);
  else await moveFirst(keys, ring, step.id);
}

async function askStep({ environment, store }: Keys, ring: KeyRing): Promise<RotationStep> {
  return nextStep(ring, await keyChecks(store), await holdersOf(environment, store));
}

async function holdersOf(environment: Environment, store: Store): Promise<KeyHolder[]> {
  const engine = await reachEngine(environment);
  // The embedded engine reads the list at its start.
  if (engine === null) return [];
  try {
    return await keyHolders(engine, queueSuffix(store));
  } finally {
    await engine.close();
  }
}

async function addKey({ environment, found }: Keys, ring: KeyRing): Promise<void> {
  const added = ring.withLast(KeyRing.generateEntry());
  tell(`step 1 of 2: ${added.ids.at(-1)} is new, and only decrypts; ${ring.ids[0]} still encrypts`);
  await hand(environment, found, added);
  tell('then, when every worker holds it (`diligence keys check`): `diligence keys rotate`');
}

async function moveFirst(keys: Keys, ring: KeyRing, id: string): Promise<void> {
  await refuseWhileLacking(keys, ring);
  await registerKey(keys.store, ring, id);
  // Nobody starts without the key any more; somebody may just have.
  await refuseWhileLacking(keys, ring);
  tell(`step 2 of 2: ${id} encrypts from now on; the others decrypt what is there already`);
  await hand(keys.environment, keys.found, ring.withFirst(id));
  tell('keep the old keys in the list: the engine, and a sealed store, hold what they encrypted');
}

async function refuseWhileLacking(keys: Keys, ring: KeyRing): Promise<void> {
  const step = await askStep(keys, ring);
  if (step.kind === 'add' || step.lacking.length === 0) return;
  throw new CommandError(whoLacks(step.id, step.lacking));
}

function whoLacks(id: string, lacking: readonly KeyHolder[]): string {
  const names = lacking.map(({ identity }) => identity.split(' ')[0]).join(', ');
  return (
    `${id} cannot encrypt yet, since ${names} could not read it: start ${lacking.length === 1 ? 'it' : 'them'} ` +
    'again with the new list (an embedded engine: `diligence stop`); a worker that has ended shows for 90 s, the last one for five minutes'
  );
}

async function hand({ dataDir }: Environment, { from }: PayloadKeys, ring: KeyRing): Promise<void> {
  if (from === 'file') {
    await writePayloadKeys(dataDir, ring);
    tell(
      `${payloadKeysPath(dataDir)} is changed; a running engine takes it at its next start (\`diligence stop\`, then any command)`,
    );
    return;
  }
  tell('DILIGENCE_PAYLOAD_KEYS for every worker and command (restart the workers with it):');
  print(ring.reveal());
}

async function check(json: boolean): Promise<number> {
  const { dataDir, payloadKeys } = readEnvironment();
  const isEmbedded = engineAddress().kind === 'embedded';
  const path = payloadKeysPath(dataDir);
  if (payloadKeys === null && isEmbedded && (await stat(path).catch(() => null)) === null) {
    const next = 'no key yet: one is generated in the data directory at the first use';
    if (json) printJson({ keys: [], from: null, store: [], fault: null, workers: [], next });
    else print(next);
    return exitCodes.done;
  }
  const view = await look();
  if (json) printJson(view);
  else for (const line of linesOf(view)) print(line);
  return view.fault === null ? exitCodes.done : exitCodes.failed;
}

interface KeysView {
  /** Ids in order: the first encrypts. Empty when the keys are off. */
  keys: readonly string[];
  from: string;
  /** Ids that the store asks for, oldest first. */
  store: string[];
  /** Why a start would be refused; null when it would not. */
  fault: string | null;
  /** Null when nobody could tell. A key that is not in our list is shown by its mark. */
  workers: { worker: string; keys: string[] | null }[] | null;
  next: string;
}

async function look(): Promise<KeysView> {
  const { environment, store, found } = await openKeys();
  const { keys, from } = found;
  const known = await keyChecks(store);
  // A store that knows none takes the first one at the next start.
  const fault = known.length === 0 ? null : keyFault(keys, known);
  const holders = await holdersOf(environment, store).catch((error: unknown) => {
    if (error instanceof EngineUnreachableError) return null;
    throw error;
  });
  const sentence = fault === null ? null : faultSentence(fault, keys);
  return {
    keys: keys === 'off' ? [] : keys.ids,
    from: from === 'file' ? payloadKeysPath(environment.dataDir) : 'DILIGENCE_PAYLOAD_KEYS',
    store: known.map(({ id }) => id),
    fault: sentence,
    workers: holders?.map((holder) => workerView(holder, keys)) ?? null,
    next: keys === 'off' || sentence !== null ? 'mend the list' : nextWords(keys, known, holders),
  };
}

function workerView({ identity, marks }: KeyHolder, ring: KeyRing | 'off') {
  const names = new Map(ring === 'off' ? [] : ring.ids.map((id) => [keyMark(ring, id), id]));
  const keys = marks?.map((mark) => names.get(mark) ?? mark) ?? null;
  return { worker: identity.split(' ')[0] ?? identity, keys };
}

function nextWords(
  ring: KeyRing,
  known: Parameters<typeof nextStep>[1],
  holders: readonly KeyHolder[] | null,
): string {
  if (holders === null) return 'the engine does not answer: whether a step is safe cannot be told';
  const step = nextStep(ring, known, holders);
  if (step.kind === 'add') {
    const behind = leftBehind(ring, known, holders);
    if (behind.length > 0) {
      const names = behind.map(({ identity }) => identity.split(' ')[0]).join(', ');
      return `start ${names} again with this list: what others encrypt cannot be read there`;
    }
    return '`diligence keys rotate` begins a rotation: it adds a key';
  }
  if (step.lacking.length > 0) return whoLacks(step.id, step.lacking);
  return `\`diligence keys rotate\` is safe: it lets ${step.id} encrypt`;
}

function linesOf({ keys, from, store, fault, workers, next }: KeysView): string[] {
  const [first, ...others] = keys;
  const list =
    first === undefined
      ? 'off'
      : `${first} encrypts${others.map((id) => `, ${id} decrypts`).join('')}`;
  return [
    `our list: ${list} (${from})`,
    `the store asks for: ${store.join(', ') || 'none yet'}`,
    ...(workers === null ? ['workers: the engine does not answer'] : []),
    ...(workers ?? []).map(
      ({ worker, keys: held }) =>
        `worker ${worker}: ${held === null ? 'does not tell' : held.join(', ') || 'off'}`,
    ),
    ...(fault === null ? [] : [`refused: DILIGENCE_PAYLOAD_KEYS: ${fault}`]),
    `next: ${next}`,
  ];
}
