import { Command } from 'commander';
import { queueSuffix } from '../../domain/core/queues';
import { ConfigError, readEnvironment } from '../../environment';
import { KeyRing } from '../../protection/key-ring';
import { openStore } from '../../store/open-store';
import { findIdKey } from '../../store/sealed/find-id-key';
import type { Store } from '../../store/store';
import { EngineUnreachableError, engineAddress } from '../../temporal/connection';
import { reachEngine } from '../../temporal/open-engine';
import {
  keyHolders,
  keyMark,
  nextStep,
  type KeyHolder,
  type RotationStep,
} from '../../temporal/payload/key-holders';
import {
  findPayloadKeys,
  payloadKeysAtHand,
  payloadKeysPath,
  writePayloadKeys,
} from '../../temporal/payload/payload-keys';
import { keyChecks, keyFault, proveKeys, registerKey } from '../../temporal/payload/store-keys';
import { exitCodes, print, printAs, printNote } from '../cli/terminal';
import { CommandError } from '../jobs/errors';

export function keysCommand(): Command {
  const command = new Command('keys').description(
    'The keys that payloads are encrypted with: DILIGENCE_PAYLOAD_KEYS, or a file.',
  );
  command
    .command('generate')
    .description('Print one new key, as DILIGENCE_PAYLOAD_KEYS takes it, and nothing else.')
    .action(() => print(KeyRing.generateEntry()));
  command
    .command('rotate')
    .description(
      'Do the next of two steps: add a new key (which only decrypts); when every worker has it, let it encrypt.',
    )
    .addHelpText(
      'after',
      '\nA list that is configured is printed on standard output, to be set; one in the data directory is changed there.',
    )
    .action(rotate);
  command
    .command('check')
    .description(
      'Show which keys we have, the store asks for and the workers hold; change nothing.',
    )
    .option('--json', 'one JSON document on standard output')
    .action(check);
  return command;
}

/** The store without decryption: check values are not encrypted, and the keys may not match. */
async function openKeys(): Promise<{ ring: KeyRing; store: Store }> {
  const environment = readEnvironment();
  const ring = await findPayloadKeys(environment, engineAddress().kind);
  const { idKey } = await findIdKey(environment.dataDir, environment.idKey);
  return { ring, store: await openStore(environment, idKey) };
}

/** Workers and their keys; none when the embedded server is stopped: it reads the list at its start. */
async function holdersOf(store: Store): Promise<KeyHolder[]> {
  const engine = await reachEngine(readEnvironment());
  try {
    return engine === null ? [] : await keyHolders(engine, queueSuffix(store));
  } finally {
    await engine?.close();
  }
}

async function rotate(): Promise<void> {
  const { ring, store } = await openKeys();
  await proveKeys(store, ring);
  const step = async (): Promise<RotationStep> =>
    nextStep(ring, await keyChecks(store), await holdersOf(store));
  const { waiting, lacking } = await step();
  if (waiting === null) {
    const added = ring.withLast(KeyRing.generateEntry());
    printNote(
      `step 1 of 2: ${added.ids.at(-1)} is new, and only decrypts; ${ring.ids[0]} still encrypts`,
    );
    await handOver(added);
    printNote('then, when every worker holds it (`diligence keys check`): `diligence keys rotate`');
    return;
  }
  refuseLacking(waiting, lacking);
  await registerKey(store, ring, waiting);
  // No process can start without the key any more; one may have started a moment ago.
  refuseLacking(waiting, (await step()).lacking);
  printNote(
    `step 2 of 2: ${waiting} encrypts from now on; the others decrypt what is there already`,
  );
  await handOver(ring.withFirst(waiting));
  printNote('keep the old keys in the list: the store and the engine hold what they encrypted');
}

function refuseLacking(waiting: string, lacking: readonly KeyHolder[]): void {
  if (lacking.length > 0)
    throw new CommandError(`${waiting} cannot encrypt yet: ${restartOf(lacking)}`);
}

function restartOf(lacking: readonly KeyHolder[]): string {
  const names = lacking.map(({ worker }) => worker).join(', ');
  return `${names} could not read what it encrypts: start again with this list (an embedded engine: \`diligence stop\`); a worker that has ended shows for 90 s, the last one for five minutes`;
}

async function handOver(ring: KeyRing): Promise<void> {
  const { dataDir, payloadKeys } = readEnvironment();
  if (payloadKeys === null) {
    await writePayloadKeys(dataDir, ring);
    printNote(
      `${payloadKeysPath(dataDir)} is changed; a running engine takes it at its next start (\`diligence stop\`, then any command)`,
    );
    return;
  }
  printNote('DILIGENCE_PAYLOAD_KEYS for every worker and command (restart the workers with it):');
  print(ring.reveal());
}

async function check({ json }: { json?: true }): Promise<void> {
  const view = await look();
  const { fault, keys, next, store, workers } = view;
  printAs(json, view, [
    `our list, the first encrypts: ${keys.join(', ') || 'none yet'}`,
    `the store asks for: ${store.join(', ') || 'none yet'}`,
    ...(workers ?? []).map(
      ({ worker, keys: held }) => `worker ${worker}: ${held?.join(', ') ?? 'does not tell'}`,
    ),
    ...(fault === null ? [] : [`refused: ${fault}`]),
    `next: ${next}`,
  ]);
  if (fault !== null) process.exitCode = exitCodes.failed;
}

async function look() {
  const environment = readEnvironment();
  const kind = engineAddress().kind;
  if (kind === 'embedded' && (await payloadKeysAtHand(environment, kind)) === null) {
    const next = 'no key yet: one is generated in the data directory at the first use';
    const none: string[] = [];
    return { keys: none, store: none, fault: null, workers: [], next };
  }
  const { ring, store } = await openKeys();
  const known = await keyChecks(store);
  const fault = keyFault(ring, known);
  const holders = await holdersOf(store).catch((error: unknown) => {
    if (error instanceof EngineUnreachableError) return null;
    throw error;
  });
  const names = new Map(ring.ids.map((id) => [keyMark(ring, id), id]));
  const workers = holders?.map(({ worker, marks }) => {
    return { worker, keys: marks?.map((mark) => names.get(mark) ?? mark) ?? null };
  });
  return {
    /** The first encrypts. */
    keys: ring.ids,
    store: known.map(({ id }) => id),
    /** Why a start would be refused. */
    fault: fault && new ConfigError('DILIGENCE_PAYLOAD_KEYS', fault).message,
    /** Null: unknown. A key that is not in our list is shown by its check value. */
    workers: workers ?? null,
    next: fault === null ? nextWords(holders && nextStep(ring, known, holders)) : 'fix the list',
  };
}

function nextWords(step: RotationStep | null): string {
  if (step === null) return 'the engine does not answer: whether a step is safe cannot be told';
  const { waiting, lacking } = step;
  if (lacking.length > 0) return restartOf(lacking);
  if (waiting === null) return '`diligence keys rotate` begins a rotation: it adds a key';
  return `\`diligence keys rotate\` is safe: it lets ${waiting} encrypt`;
}
