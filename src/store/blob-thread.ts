import { parentPort, workerData } from 'node:worker_threads';
import { BlobFiles, type NewBlob } from './blob-files';
import { serve } from './thread';

/** The thread that writes bytes: the folder of those that come together is flushed once. */

const files = new BlobFiles(workerData as string);
/** Who waits behind more would wait for long. */
const mostTogether = 32;

serve<NewBlob>(parentPort, {
  take: (waiting) => Math.min(waiting.length, mostTogether),
  doTogether: (group) => files.put(group),
  close: () => undefined,
});
