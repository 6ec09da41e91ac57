import pino, { type DestinationStream, type Logger } from 'pino';
import { isError, redactError, redactValue } from './redaction';

/** A log whose lines are redacted before they are written: the message and its fields. */
export function redactedLog(level: string, stream: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        logMethod(args, method) {
          const shown = args.map((one: unknown) =>
            isError(one) ? { err: redactError(one) } : redactValue(one),
          );
          method.apply(this, shown as typeof args);
        },
      },
    },
    stream,
  );
}
