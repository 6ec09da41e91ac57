import type { Store } from '../../store/store';
import { AuditTrail } from '../../store/audit/trail';
import { doubtSince } from '../../store/epoch';
import { findIdKey } from '../../store/sealed/find-id-key';
import type { IdKey } from '../../protection/id-key';
import { queueName, queueSuffix, queuesOf } from '../../domain/core/queues';
import { readEnvironment, type Environment } from '../../environment';
import { readerOf, type Reader } from '../../report/reader';
import type { Language, Tell } from '../../domain/job';
import { engineAddress, type EngineClient } from '../../temporal/connection';
import { refuseSandboxStore } from '../../temporal/sandbox-store';
import { openOwnStore } from '../../temporal/payload/store-keys';

export interface CommandContext {
  environment: Environment;
  idKey: IdKey;
  store: Store;
  /** Every append of a command is its own chain. */
  audit: AuditTrail;
  queueSuffix: string;
  /** The reader of the output; a shown job is printed in its own language. */
  reader: Reader;
  /** Prints a warning or note beside the result, one line each. */
  log: (line: string) => void;
}

/** @param by the actor, when it is not the one of the environment */
export async function openContext(
  log: CommandContext['log'],
  by?: string,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<CommandContext> {
  const settings = readEnvironment(variables);
  const environment = by === undefined ? settings : { ...settings, actor: by };
  const reader = readerOf(environment.language);
  const tell = tellOf({ log, reader });
  const { idKey, generated } = await findIdKey(environment.dataDir, environment.idKey);
  if (generated) {
    const { dataDir } = environment;
    tell(
      `a key for names was generated in ${dataDir} (0600): keep a copy of it, apart from your backups`,
      `uma chave para os nomes foi gerada em ${dataDir} (0600): guarde uma cópia dela, longe das cópias de segurança`,
    );
  }
  const store = await openOwnStore(environment, idKey, engineAddress(variables).kind, tell);
  await refuseSandboxStore(environment, store);
  const since = await doubtSince(store);
  if (since !== null) {
    tell(
      `the store was restored ${new Date(since).toISOString()}: what it has no record of may have been bought (\`diligence restore --help\`)`,
      `o armazenamento foi restaurado em ${reader.formats.instant(since)}: o que não consta nele pode ter sido comprado (\`diligence restore --help\`)`,
    );
  }
  const audit = new AuditTrail(store, idKey);
  return { environment, idKey, store, audit, queueSuffix: queueSuffix(store), reader, log };
}

export function inLanguage(ctx: CommandContext, language: Language): CommandContext {
  return { ...ctx, reader: readerOf(language) };
}

export function tellOf({ log, reader }: Pick<CommandContext, 'log' | 'reader'>): Tell {
  return (...words) => {
    log(reader.say(...words));
  };
}

export async function withEngine<T>(
  ctx: CommandContext,
  work: (engine: EngineClient) => Promise<T>,
): Promise<T> {
  // Loads the Temporal client only here: commands that need only the store start faster.
  const { openEngine } =
    require('../../temporal/open-engine') as typeof import('../../temporal/open-engine');
  const { refuseOtherStore } =
    require('../../temporal/namespace-store') as typeof import('../../temporal/namespace-store');
  const { endEarlierEpochs } =
    require('../../temporal/earlier-epochs') as typeof import('../../temporal/earlier-epochs');
  const engine = await openEngine(ctx, tellOf(ctx));
  try {
    await refuseOtherStore(engine, ctx.store.id);
    await endEarlierEpochs(engine.client, ctx.store);
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** Prints one line when no worker polls the queues of this store: the job is stored, and waits. */
export async function warnWithoutPollers(
  engine: EngineClient,
  ctx: CommandContext,
  service: keyof typeof queuesOf = 'certificates',
): Promise<void> {
  const { queuePollers } =
    require('../../temporal/queue-pollers') as typeof import('../../temporal/queue-pollers');
  const deadlineAt = Date.now() + 10_000;
  for (;;) {
    const missing = [];
    for (const kind of queuesOf[service]) {
      const pollers = await queuePollers(engine, kind, ctx.queueSuffix);
      if (pollers.length === 0) missing.push(queueName(kind, ctx.queueSuffix));
    }
    if (missing.length === 0) return;
    if (Date.now() > deadlineAt) {
      ctx.log(
        ctx.reader.say(
          `no worker polls ${missing.join(', ')}: the work waits until one with this store is started (\`diligence worker\`)`,
          `nenhum worker atende ${missing.join(', ')}: o trabalho aguarda até que um seja iniciado com este armazenamento (\`diligence worker\`)`,
        ),
      );
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

/**
 * The execution that runs under a workflow id which jobs share; null: none runs.
 * @returns `startedFor`: the job id, null when the server does not know it
 */
export async function runningUnder(
  { client }: EngineClient,
  workflowId: string,
): Promise<{ startedFor: string | null } | null> {
  try {
    const { status, typedSearchAttributes } = await client.workflow
      .getHandle(workflowId)
      .describe();
    if (status.name !== 'RUNNING') return null;
    const { jobIdOf } =
      require('../../workflows/core/search-attributes') as typeof import('../../workflows/core/search-attributes');
    return { startedFor: jobIdOf(typedSearchAttributes) };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** Throws when the server cannot be reached: only "not found" means that it does not run. */
export async function isRunning(engine: EngineClient, workflowId: string): Promise<boolean> {
  return (await runningUnder(engine, workflowId)) !== null;
}
