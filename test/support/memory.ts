import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** What a process holds once its garbage is collected. */
export interface Memory {
  /** Requests (GET) begun so far. */
  reads: number;
  heapBytes: number;
  rssBytes: number;
}

/** For the environment of a process that is to tell of its memory. */
export const tellsMemory = { NODE_OPTIONS: `--require=${join(__dirname, 'memory-report.cjs')}` };

export function memoryOf(child: ChildProcess): Promise<Memory> {
  return new Promise((told, failed) => {
    const onExit = (): void => failed(new Error('the process has ended'));
    const onMessage = (message: unknown): void => {
      if (typeof message !== 'object' || message === null || !('heapBytes' in message)) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      told(message as Memory);
    };
    child.on('message', onMessage);
    child.once('exit', onExit);
    child.send('memory');
  });
}
