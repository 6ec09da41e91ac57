import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import pino from 'pino';
import { storeAsItIs } from '../store/open-store';
import { ConfigError, listenAddress, readEnvironment, type ListenAddress } from '../environment';
import { engineAddress } from '../temporal/connection';
import { findPayloadKeys } from '../temporal/payload/payload-keys';
import { refuseOtherKeys } from '../temporal/payload/store-keys';
import { accessOf } from './access';
import { isLoopback } from '../protection/loopback';
import { codecLog, codecsFor, serveCodec } from './serve-codec';

interface CodecServerFlags {
  listen: ListenAddress;
  namespace?: string[];
  origin?: string[];
}

/** `diligence codec-server`: decodes payloads for authorised users of the Temporal UI and CLI. */
export function codecServerCommand(): Command {
  return new Command('codec-server')
    .description('Decode payloads for the Temporal UI and CLI.')
    .addOption(
      new Option(
        '--listen <host:port>',
        'another host than loopback needs DILIGENCE_CODEC_TOKEN or codecServer.oidc',
      )
        .argParser(parseListen)
        .default({ host: '127.0.0.1', port: 8081 }, '127.0.0.1:8081'),
    )
    .option('--namespace <name>', 'serve this namespace (repeat it for more)', collect)
    .option('--origin <url>', 'pages of this origin may ask (repeat it for more)', collectOrigins)
    .action(async (flags: CodecServerFlags) => {
      await serveUntilStopped(flags);
    });
}

async function serveUntilStopped(flags: CodecServerFlags): Promise<void> {
  const environment = readEnvironment();
  const engine = engineAddress();
  const access = await accessOf(environment.codecServer);
  if (access === null && !isLoopback(flags.listen.host)) {
    throw new ConfigError(
      'DILIGENCE_CODEC_TOKEN',
      `is not set, nor is codecServer.oidc: without authentication it listens on a loopback address only, and ${flags.listen.host} is none`,
    );
  }
  const { log, onServed } = codecLog(pino.destination({ dest: 2, sync: true }));
  const keys = await findPayloadKeys(environment, engine.kind, (line) => log.warn(line));
  // Checks the keys if there is a store: workers could not read what another key encodes.
  const store = await storeAsItIs(environment);
  if (store !== null) await refuseOtherKeys(store, keys);
  const own = engine.kind === 'server' ? engine.namespace : 'default';
  const namespaces = flags.namespace ?? [own];
  const codecs = codecsFor(keys, namespaces, environment.aadNamespace);
  const origins = flags.origin ?? [];
  const server = await serveCodec({ listen: flags.listen, codecs, origins, access, onServed });
  const { endpoint } = server;
  log.info({ endpoint, namespaces, origins, authenticates: access !== null }, 'listening');
  process.send?.('ready');
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stopping.abort());
  }
  await once(stopping.signal, 'abort');
  await server.close();
  log.info('stopped');
}

function parseListen(text: string): ListenAddress {
  const address = listenAddress(text);
  if (address === null) throw new InvalidArgumentError('Expected host:port.');
  return address;
}

function collect(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

function collectOrigins(text: string, before: string[] | undefined): string[] {
  const isOrigin = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isOrigin || new URL(text).origin !== text.replace(/\/$/, '')) {
    throw new InvalidArgumentError(
      'Expected scheme, host and port, like https://temporal.example.',
    );
  }
  return [...(before ?? []), new URL(text).origin];
}
