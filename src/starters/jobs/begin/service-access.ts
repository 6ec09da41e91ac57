import { Service } from '../../../apis/http/service';
import { Token } from '../../../apis/http/token';
import { ConfigError, readEnvironment, type Environment } from '../../../environment';

/** A command makes few calls: the workers get the rate. */
const commandRps = 5;

/**
 * Calls a service from a command without a workflow, for short reads, and closes the client.
 *
 * @throws ConfigError when the service is not configured
 */
export async function withService<T>(
  name: 'credit' | 'investigation',
  work: (service: Service, environment: Environment, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment();
  const settings = environment[name];
  if (settings === null) {
    const prefix = name.toUpperCase();
    const service = name === 'credit' ? 'de crédito' : 'de investigação';
    throw new ConfigError(`${prefix}_BASE_URL`, [
      `is not set, nor ${prefix}_TOKEN: no ${name} service (\`diligence dev\` prints those of its sandbox)`,
      `falta definir, e também ${prefix}_TOKEN: não há serviço ${service} (\`diligence dev\` mostra os do seu sandbox)`,
    ]);
  }
  const { baseUrl, rps, timeoutMs, token } = settings;
  const service = new Service({
    baseUrl,
    token: Token.from(token),
    ratePerSecond: commandRps,
    mostPerSecond: rps,
    resendOn503: environment.resendOn503,
    keepsAlive: true,
    connectTimeoutMs: Math.min(10_000, timeoutMs),
  });
  try {
    return await work(service, environment, timeoutMs);
  } finally {
    await service.close();
  }
}
