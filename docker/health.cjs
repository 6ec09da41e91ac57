// Is our process here, able to run, and, if it is a worker, ready? Process 1 may be an init, which would
// look well for ever; one that is frozen (SIGSTOP, a paused debugger) goes on holding its tasks.
const { readdirSync, readFileSync } = require('node:fs');

/** The command of our process (`worker`, `sandbox`, `certificate`...), null when it is not ours or stands still. */
function runningCommand(pid) {
  try {
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = status.slice(status.lastIndexOf(')') + 2, status.lastIndexOf(')') + 3);
    const place = args.findIndex((word) => /(^|\/)dist\/main\.js$/.test(word));
    const runs = /(^|\/)node$/.test(program) && place >= 0 && !'TtZX'.includes(state);
    return runs ? (args[place + 1] ?? '') : null;
  } catch {
    return null;
  }
}

/** Where the worker serves its endpoints, seen from inside its container; null for nowhere. */
function endpoints() {
  const address = process.env.DILIGENCE_METRICS_ADDRESS || '127.0.0.1:9464';
  if (address === 'off') return null;
  return `http://${address.replace(/^(0\.0\.0\.0|\[::\]):/, '127.0.0.1:')}`;
}

async function isWell() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const commands = pids.map(runningCommand).filter((command) => command !== null);
  if (!commands.includes('worker') || endpoints() === null) return commands.length > 0;
  const answer = await fetch(`${endpoints()}/readyz`, { signal: AbortSignal.timeout(4_000) });
  // Kept by Docker: `docker inspect` shows why a container is unhealthy.
  process.stdout.write(await answer.text());
  return answer.ok;
}

isWell().then(
  (well) => process.exit(well ? 0 : 1),
  (error) => {
    process.stdout.write(`${error.cause?.code ?? error.name}\n`);
    process.exit(1);
  },
);
