import { parse } from 'yaml';
import { z } from 'zod';

/**
 * How long the worker drains (its longest `shutdownGraceTime`, with the longest upload that can be
 * configured); the container must be given longer.
 */
const gracefulShutdownSeconds = 610;

const serviceSchema = z.object({
  image: z.string().optional(),
  ports: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.unknown().optional(),
  stop_grace_period: z.string().optional(),
});

const composeSchema = z.object({ services: z.record(z.string(), serviceSchema) });

/** What no schema says: the rules of this project for its compose file. Answers one line a fault. */
export function brokenHouseRules(source: string): string[] {
  const { services } = composeSchema.parse(parse(source, { merge: true }));
  const faults: string[] = [];
  for (const [name, service] of Object.entries(services)) {
    for (const port of service.ports) {
      if (!port.startsWith('127.0.0.1:')) faults.push(`${name}: port ${port} is not on loopback`);
    }
    for (const [variable, value] of Object.entries(service.environment)) {
      if (!/PASSWORD|PWD|TOKEN|SECRET|_KEYS?$/.test(variable)) continue;
      if (!/^\$\{\w+:\?[^}]+\}$/.test(value)) {
        faults.push(`${name}: ${variable} must come from .env and be required`);
      }
    }
    for (const [other, { condition }] of Object.entries(service.depends_on)) {
      if (condition === 'service_started') {
        faults.push(`${name}: does not wait until ${other} is ready`);
      }
      if (condition === 'service_healthy' && services[other]?.healthcheck === undefined) {
        faults.push(`${name}: waits for the health of ${other}, which has no check`);
      }
    }
  }
  const grace = /^(\d+)s$/.exec(services.worker?.stop_grace_period ?? '');
  if (Number(grace?.[1] ?? 0) <= gracefulShutdownSeconds) {
    faults.push(`worker: stop_grace_period must exceed ${gracefulShutdownSeconds} s`);
  }
  const tags = ['temporalio/server', 'temporalio/admin-tools'].flatMap((image) =>
    Object.values(services)
      .filter((service) => service.image?.startsWith(`${image}:`))
      .map((service) => service.image?.split(':')[1]),
  );
  if (new Set(tags).size !== 1) faults.push('server and admin-tools must be of one version');
  return faults;
}
