/** Flushes of many pages that wait for the disk at the same time share what it does. */
const threads = 24;

/**
 * Widens the pool in which Node reads, writes and flushes files: with its four threads, pages that
 * are worked off at once queue for the disk. `UV_THREADPOOL_SIZE` of the environment stands. To be
 * called before anything asynchronous is done with a file: the pool is made then, once.
 */
export function widenThreadPool(env: NodeJS.ProcessEnv = process.env): void {
  env.UV_THREADPOOL_SIZE ??= String(threads);
}
