import { Command, InvalidArgumentError } from 'commander';
import { findIdKey } from '../archive/id-key';
import { openArchive } from '../archive/open-archive';
import { ConfigError, readEnvironment } from '../environment';
import { engineAddress } from '../temporal/connection';
import { certificateDependencies } from './certificate-services';
import { installLog } from './log';
import { runWorkers, workerRoles, type WorkerRole } from './run-workers';

/** `diligence worker`: the process that does the work, and nothing else. */
export function workerCommand(): Command {
  return new Command('worker')
    .description('Run a worker against the Temporal server of TEMPORAL_ADDRESS.')
    .option(
      '--roles <list>',
      `comma separated: ${workerRoles.join(', ')} (default: all)`,
      parseRoles,
    )
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .action(async (flags: { roles?: WorkerRole[]; logLevel: string }) => {
      await runWorkerProcess(flags.roles ?? workerRoles, flags.logLevel);
    });
}

async function runWorkerProcess(roles: readonly WorkerRole[], logLevel: string): Promise<void> {
  const environment = readEnvironment();
  const engine = engineAddress();
  if (engine.kind === 'embedded') {
    throw new ConfigError(
      'TEMPORAL_ADDRESS',
      'is not set: a worker serves a Temporal server (`diligence dev` runs one with its worker)',
    );
  }
  if (environment.investigation === null && roles.includes('certificates')) {
    throw new ConfigError(
      'INVESTIGATION_BASE_URL',
      'is not set: set it and INVESTIGATION_TOKEN, or leave the role `certificates` out',
    );
  }
  const log = installLog(logLevel);
  const { idKey, generated } = await findIdKey(environment.dataDir, environment.idKey);
  if (generated) log.info('an id key was generated in the data directory (0600): keep it safe');
  const archive = await openArchive(environment.archiveUrl, idKey);
  const stopping = new AbortController();
  const certificates =
    environment.investigation === null || !roles.includes('certificates')
      ? null
      : certificateDependencies(environment, environment.investigation, {
          archive,
          idKey,
          stopping: stopping.signal,
          warn: (message, about) => log.warn(about ?? {}, message),
        });
  const { connectionOptions, address, namespace } = engine;
  const setup = {
    connectionOptions,
    address,
    namespace,
    roles,
    archiveId: archive.id,
    certificates,
  };
  const workers = await runWorkers(setup);
  log.info({ roles: roles.join(','), address, archive: archive.id.slice(0, 8) }, 'worker is ready');
  process.send?.('ready');
  let signals = 0;
  const stop = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 1) return;
    log.info({ signal }, 'stopping: what is under way is brought to its end');
    stopping.abort();
    void workers.stop();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  await workers.finished;
  await certificates?.certificates.service.close();
  log.info('worker has stopped');
}

function parseRoles(text: string): WorkerRole[] {
  return text.split(',').map((word) => {
    const role = workerRoles.find((known) => known === word.trim());
    if (role === undefined) {
      throw new InvalidArgumentError(`${word}: expected some of ${workerRoles.join(', ')}`);
    }
    return role;
  });
}
