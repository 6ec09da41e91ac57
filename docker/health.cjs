// Is our process here and able to run? It serves no port, and one that is frozen (SIGSTOP, a paused
// debugger) goes on holding its tasks. Process 1 may be an init, which would look well for ever.
const { readdirSync, readFileSync } = require('node:fs');

function isOursAndRuns(pid) {
  try {
    const [command = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = status.slice(status.lastIndexOf(')') + 2, status.lastIndexOf(')') + 3);
    return /(^|\/)node$/.test(command) && args.includes('dist/main.js') && !'TtZX'.includes(state);
  } catch {
    return false;
  }
}

const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
process.exit(pids.some(isOursAndRuns) ? 0 : 1);
