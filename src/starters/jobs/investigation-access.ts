import { Service } from '../../apis/http/service';
import { Token } from '../../apis/http/token';
import { ConfigError, readEnvironment, type Environment } from '../../environment';

/** A command does a few calls: the workers have the rate. */
const commandRps = 5;

/**
 * Works with the investigation service from a command, and closes it: for reads that start nothing.
 *
 * @throws ConfigError when it is not configured
 */
export async function withInvestigation<T>(
  work: (service: Service, environment: Environment, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment();
  const settings = environment.investigation;
  if (settings === null) {
    throw new ConfigError(
      'INVESTIGATION_BASE_URL',
      'is not set, nor INVESTIGATION_TOKEN: no investigation service (`diligence dev` prints those of its sandbox)',
    );
  }
  const service = new Service({
    baseUrl: settings.baseUrl,
    token: Token.from(settings.token),
    ratePerSecond: Math.min(settings.rps, commandRps),
    resendOn503: environment.resendOn503,
    keepsAlive: true,
    connectTimeoutMs: Math.min(10_000, settings.timeoutMs),
  });
  try {
    return await work(service, environment, settings.timeoutMs);
  } finally {
    await service.close();
  }
}
