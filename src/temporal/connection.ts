import type { Client, Connection, ConnectionOptions } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { WordedError } from '../domain/core/worded-error';
import { ConfigError } from '../environment';
import type { EngineRecord } from './engine-record';

/** Address of Temporal. `embedded`: our own process in the data directory, started on demand. */
export type EngineAddress =
  | { kind: 'embedded' }
  | { kind: 'server'; connectionOptions: ConnectionOptions; namespace: string; address: string };

/** Reads `TEMPORAL_*` as `@temporalio/envconfig` does: variables, then a profile of its file. */
export function engineAddress(env: NodeJS.ProcessEnv = process.env): EngineAddress {
  // Loaded on demand, as the client below.
  const { loadClientConnectConfig } =
    require('@temporalio/envconfig') as typeof import('@temporalio/envconfig');
  let config;
  try {
    // An empty variable (`TEMPORAL_ADDRESS=` in .env) is unset.
    const variables = Object.entries(env).filter(([, value]) => value);
    config = loadClientConnectConfig({
      overrideEnvVars: Object.fromEntries(variables) as Record<string, string>,
    });
  } catch (error) {
    // The parser's own message quotes the lines around the error, including keys.
    const { line } = error as { line?: number };
    const where = line === undefined ? '' : ` (line ${line} of the profile file)`;
    throw new ConfigError(
      'TEMPORAL_*',
      `cannot be read${where}: expected variables and a TOML file as @temporalio/envconfig takes them`,
    );
  }
  const { address } = config.connectionOptions;
  if (address === undefined) return { kind: 'embedded' };
  const namespace = config.namespace ?? 'default';
  return { kind: 'server', connectionOptions: config.connectionOptions, namespace, address };
}

export interface EngineClient {
  client: Client;
  connection: Connection;
  address: string;
  namespace: string;
  /** Of the embedded engine. */
  record?: EngineRecord;
  close(): Promise<void>;
}

/** Temporal does not answer at its address. */
export class EngineUnreachableError extends WordedError {
  override readonly name = 'EngineUnreachableError';

  constructor(address: string) {
    super([
      `no Temporal server answers at ${address} (TEMPORAL_ADDRESS, or the profile in use)`,
      `nenhum servidor Temporal responde em ${address} (TEMPORAL_ADDRESS, ou o perfil em uso)`,
    ]);
  }
}

/** @throws EngineUnreachableError when there is no response within ten seconds */
export async function connectClient(options: {
  connectionOptions: ConnectionOptions;
  namespace: string;
  address: string;
  /** Of `dataConverterOf`. */
  dataConverter: DataConverter;
}): Promise<EngineClient> {
  // Loaded on demand: it would double the time of a command that only reads the store.
  const sdk = require('@temporalio/client') as typeof import('@temporalio/client');
  let isClosed = false;
  const retry = sdk.makeGrpcRetryInterceptor(sdk.defaultGrpcRetryOptions());
  const connection = await sdk.Connection.connect({
    connectTimeout: '10s',
    ...options.connectionOptions,
    interceptors: [retry, refusing(() => isClosed)],
    address: options.address,
  }).catch(() => {
    throw new EngineUnreachableError(options.address);
  });
  const { address, namespace, dataConverter } = options;
  const client = new sdk.Client({ connection, namespace, dataConverter });
  const close = (): Promise<void> => {
    isClosed = true;
    return connection.close();
  };
  return { client, connection, address, namespace, close };
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;

/** The SDK retries on a timer, also when the connection was closed meanwhile: that would end the process. */
function refusing(isClosed: () => boolean): Interceptor {
  return (options, nextCall) => {
    if (!isClosed()) return nextCall(options) as Call;
    const nothing = (): void => undefined;
    const refused: Partial<Call> = {
      start: (metadata, listener) =>
        listener?.onReceiveStatus?.({ code: 1, details: 'the connection is closed', metadata }),
      sendMessage: nothing,
      halfClose: nothing,
    };
    return refused as unknown as Call;
  };
}
