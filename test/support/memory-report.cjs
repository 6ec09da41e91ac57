/**
 * Loaded before a process that a test starts with a channel: asked `memory`, it collects its garbage and
 * answers what it holds once its other threads (workflows) have collected theirs, and how many reads (GET) it has begun.
 */
const { subscribe } = require('node:diagnostics_channel');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { BroadcastChannel, isMainThread } = require('node:worker_threads');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const threads = new BroadcastChannel('collect your garbage');

if (!isMainThread) threads.addEventListener('message', () => collect());
else if (process.send !== undefined) {
  let reads = 0;
  subscribe('undici:request:create', ({ request }) => {
    if (request.method === 'GET') reads += 1;
  });
  process.on('message', (message) => {
    if (message !== 'memory') return;
    threads.postMessage('now');
    setTimeout(() => {
      collect();
      const { heapUsed, rss } = process.memoryUsage();
      process.send({ reads, heapBytes: heapUsed, rssBytes: rss });
    }, 200);
  });
}
threads.unref();
