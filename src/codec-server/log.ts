import type { DestinationStream } from 'pino';
import { redactedLog } from '../protection/redacted-log';
import type { ServedRequest } from './serve-codec';

/** The log of the codec server: redacted JSON lines, never with payloads. */
export function codecLog(destination: DestinationStream) {
  const log = redactedLog('info', destination);
  return { log, onServed: (request: ServedRequest): void => log.info(request, 'served') };
}
