const Sequencer = require('@jest/test-sequencer').default;

/**
 * Files of half a minute and more, longest first. Jest knows durations by its cache, which a fresh clone lacks:
 * one that is begun last is waited for alone.
 */
const longest = [
  'long/lens-under-faults',
  'long/dossiers-under-faults',
  'long/same-command-again',
  'long/profiles-under-faults',
  'long/polls-of-a-day',
  'long/frozen-worker',
  'long/power-cut',
  'long/slow-rows',
  'long/cnab-scan',
  'long/worker-killed',
  'long/investigations-under-faults',
  'long/demo',
  'long/backup-restore',
  'long/reports-in-a-browser',
  'long/nothing-in-the-clear',
  'long/store-away',
  'long/monitor-soak',
  'long/fuzz',
  'long/batch-broken-off',
  'long/standing-still',
  'long/credit-in-the-clear',
  'integration/nothing-bought-after-the-stop',
  'integration/extra-kind',
  'integration/profile-lookup',
  'integration/investigations',
  'integration/embedded-engine',
  'integration/portuguese-commands',
];

class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = longest.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
      return at === -1 ? longest.length : at;
    };
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}

module.exports = LongestFirst;
