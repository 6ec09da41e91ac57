import { Service } from '../../../apis/http/service';
import { Token } from '../../../apis/http/token';
import { ConfigError, readEnvironment, type Environment } from '../../../environment';

/** A command does a few calls: the workers have the rate. */
const commandRps = 5;

/**
 * Works with a service from a command, and closes it: without a workflow, for what is over at once.
 *
 * @throws ConfigError when it is not configured
 */
export async function withService<T>(
  name: 'credit' | 'investigation',
  work: (service: Service, environment: Environment, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment();
  const settings = environment[name];
  if (settings === null) {
    const prefix = name.toUpperCase();
    throw new ConfigError(
      `${prefix}_BASE_URL`,
      `is not set, nor ${prefix}_TOKEN: no ${name} service (\`diligence dev\` prints those of its sandbox)`,
    );
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
