import { creditApi, type CreditApi } from '../../apis/credit/credit';
import { Service } from '../../apis/http/service';
import { Token } from '../../apis/http/token';
import { ConfigError, readEnvironment } from '../../environment';

/** A command does a few calls: the workers have the rate. */
const commandRps = 5;

/**
 * Works with the credit service from a command, and closes it.
 *
 * @throws ConfigError when it is not configured
 */
export async function withCredit<T>(work: (credit: CreditApi) => Promise<T>): Promise<T> {
  const environment = readEnvironment();
  const settings = environment.credit;
  if (settings === null) {
    throw new ConfigError(
      'CREDIT_BASE_URL',
      'is not set, nor CREDIT_TOKEN: no credit service (`diligence dev` prints those of its sandbox)',
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
    return await work(creditApi(service, environment.creditNames, settings.timeoutMs));
  } finally {
    await service.close();
  }
}
