/**
 * A process that runs commands of an installation one beside the other, each as if in a process of its
 * own: with its environment, its output and its exit code. Loading what a command needs takes longer
 * than the command. The worker may live here too; its log is this process's standard error.
 * Forked by `diligence-process.ts`, in the folder of the installation, with the program as its argument.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const { runCommand } = require(process.argv[2]);

/** @type {AsyncLocalStorage<{env: NodeJS.ProcessEnv, stdout: string, stderr: string, exitCode?: number, hears: boolean}>} */
const running = new AsyncLocalStorage();
const ownEnv = process.env;
const envOf = () => running.getStore()?.env ?? ownEnv;

process.setMaxListeners(0);
process.env = new Proxy(
  {},
  {
    get: (_, name) => envOf()[name],
    set: (_, name, value) => Reflect.set(envOf(), name, String(value)),
    has: (_, name) => name in envOf(),
    deleteProperty: (_, name) => delete envOf()[name],
    ownKeys: () => Object.keys(envOf()),
    getOwnPropertyDescriptor: (_, name) =>
      name in envOf()
        ? { value: envOf()[name], writable: true, enumerable: true, configurable: true }
        : undefined,
  },
);
class Exit extends Error {}
const exit = process.exit.bind(process);
process.exit = (code) => {
  const run = running.getStore();
  if (run === undefined || !run.hears) exit(code);
  run.exitCode = code;
  throw new Exit(`exit code ${code}`);
};

for (const name of ['stdout', 'stderr']) {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = (chunk, encoding, done) => {
    const run = running.getStore();
    if (run === undefined || !run.hears) return write(chunk, encoding, done);
    run[name] += String(chunk);
    const called = typeof encoding === 'function' ? encoding : done;
    if (called !== undefined) setImmediate(() => called());
    return true;
  };
}

// Nobody may redefine the exit code of a process.
globalThis.process = new Proxy(process, {
  get: (real, name) => (name === 'exitCode' ? running.getStore()?.exitCode : real[name]),
  set(real, name, value) {
    const run = running.getStore();
    if (name !== 'exitCode' || run === undefined) real[name] = value;
    else run.exitCode = value;
    return true;
  },
});

async function take({ id, words, env }) {
  const isWorker = id === 0;
  const run = { env: { ...env }, stdout: '', stderr: '', exitCode: undefined, hears: !isWorker };
  await running.run(run, async () => {
    try {
      await runCommand(words);
    } catch (error) {
      if (!(error instanceof Exit))
        run.stderr += String(error instanceof Error ? error.stack : error);
      run.exitCode ??= 1;
    }
  });
  // A worker ends when it is told to, and its process with it.
  if (isWorker) exit(run.exitCode ?? 0);
  process.send({ id, code: run.exitCode ?? 0, stdout: run.stdout, stderr: run.stderr });
}
process.on('message', (message) => void take(message));
process.on('disconnect', () => exit(0));
