import pino from 'pino';
import {
  codecLog,
  codecsFor,
  serveCodec,
  type CodecServer,
} from '../../../codec-server/serve-codec';
import type { Environment } from '../../../environment';
import type { KeyRing } from '../../../protection/key-ring';
import type { DevServer } from '../../../temporal/dev-server/dev-server';
import { engineLogPath } from '../../../temporal/engine-record';
import { printNote } from '../../cli/terminal';

/**
 * Decodes payloads for the UI of the embedded server, at the address configured when the server started: for
 * users of this machine, and for the UI's own pages only.
 *
 * @returns null when there is no UI, or the address is in use (then printed)
 */
export async function serveCodecForUi(
  environment: Environment,
  keys: KeyRing,
  { codecPort, uiPort, namespace }: DevServer,
): Promise<CodecServer | null> {
  if (codecPort === null || uiPort === null) return null;
  const dest = engineLogPath(environment.dataDir, 'codec-server');
  const { onServed } = codecLog(pino.destination({ dest, mkdir: true, mode: 0o600, sync: true }));
  try {
    return await serveCodec({
      listen: { host: '127.0.0.1', port: codecPort },
      codecs: codecsFor(keys, [namespace], environment.aadNamespace),
      origins: [`http://127.0.0.1:${uiPort}`, `http://localhost:${uiPort}`],
      access: null,
      onServed,
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    printNote(
      `the UI cannot show payloads: port ${codecPort} of its codec server is not to be had (${code ?? 'error'}); \`diligence stop\` and another start take another`,
    );
    return null;
  }
}
