/**
 * Loaded before a process that a test starts with a channel: asked `memory`, it collects its garbage and
 * answers what it holds, and how many reads (GET) it has begun.
 */
const { subscribe } = require('node:diagnostics_channel');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

if (isMainThread && process.send !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  let reads = 0;
  subscribe('undici:request:create', ({ request }) => {
    if (request.method === 'GET') reads += 1;
  });
  process.on('message', (message) => {
    if (message !== 'memory') return;
    collect();
    const { heapUsed, rss } = process.memoryUsage();
    process.send({ reads, heapBytes: heapUsed, rssBytes: rss });
  });
}
