import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { MonitorScanInput } from '../../src/workflows/inputs';
import { eventually } from '../../test/support/diligence-process';
import {
  holdMonitor,
  type HeldScript,
  type MonitorSection,
} from '../../test/support/monitor-installation';
import { testPayloadKeys } from '../../test/support/temporary-store';
import { KeyRing } from '../../src/protection/key-ring';
import { findIdKey } from '../../src/store/sealed/find-id-key';
import { openStore } from '../../src/store/open-store';
import type { Recording, Scene } from './scene';

const changes = (count: number): HeldScript => ({
  changes: Array.from({ length: count }, () => ({ severity: 'warn' as const })),
});

/** A page for each monitor, filled up with some that the service does not know. */
async function splitPages(
  { place }: Scene,
  list: Pick<MonitorScanInput['list'], 'name' | 'edition'>,
): Promise<number> {
  const dataDir = join(place.folder, 'data');
  const { idKey } = await findIdKey(dataDir, null);
  const address = { storeUrl: join(dataDir, 'store'), blobsUrl: null };
  const store = await openStore(address, idKey, { keys: KeyRing.parse(testPayloadKeys) });
  const { records } = store;
  const key = `monitor-list-pages/${list.name}/${list.edition}`;
  const ids = (await records.getJson<string[]>(key)) ?? [];
  const filled = ids.flatMap((id) => [id, ...Array.from({ length: 99 }, () => randomUUID())]);
  await records.replace(key, JSON.stringify(filled));
  await store.close();
  return ids.length;
}

function held(scene: Scene, script: HeldScript, rules: MonitorSection = {}): string {
  return holdMonitor(scene.place, script, { defaultPageSize: 20, ...rules });
}

const sweep = (...monitors: string[]) => ['monitor', 'sweep', '--monitors', monitors.join(',')];

async function cancelOnceListed(scene: Scene, id: string, monitorId: string): Promise<void> {
  await eventually('it is listed', () =>
    scene.sandbox.monitors.received().some((one) => one.subject === monitorId),
  );
  await scene.run(['cancel', id]);
  await scene.end(id);
}

const slowList: HeldScript['list'] = [{ kind: 'slow', delayMs: 2_000 }];

export const monitorRecordings: Recording[] = [
  {
    name: 'straight',
    of: ['monitorSweep'],
    play: (scene) => scene.run(sweep(held(scene, changes(3)))),
  },
  {
    name: 'undelivered',
    of: ['monitorSweep'],
    async play(scene) {
      const [first = {}, ...others] = changes(3).changes ?? [];
      const stuck = held(scene, {
        changes: [{ ...first, ack: 'refused' }, ...others],
        list: ['503', '502'],
      });
      await scene.run(sweep(stuck), 1);
    },
  },
  {
    name: 'continued-as-new',
    of: ['monitorSweep'],
    async play(scene) {
      // One change a page, twenty pages an activity, and a hundred activities a run.
      const ignored = { pageSizeName: 'ignored', defaultPageSize: 1 };
      await scene.run(sweep(held(scene, { seededChanges: 2_005 }, ignored)));
    },
  },
  {
    name: 'cancelled',
    of: ['monitorSweep'],
    async play(scene) {
      const monitorId = held(scene, { ...changes(30), list: slowList });
      const id = await scene.detach(sweep(monitorId));
      await cancelOnceListed(scene, id, monitorId);
    },
  },
  {
    name: 'straight',
    of: ['monitorScan'],
    play: (scene) => scene.run(sweep(held(scene, changes(2)), held(scene, {}))),
  },
  {
    name: 'undelivered',
    of: ['monitorScan'],
    async play(scene) {
      const [first = {}] = changes(1).changes ?? [];
      const stuck = held(scene, { changes: [{ ...first, ack: 'refused' }], list: ['503'] });
      await scene.run(sweep(stuck, held(scene, changes(1))), 1);
    },
  },
  {
    name: 'continued-as-new',
    of: ['monitorScan'],
    async play(scene) {
      const words = sweep(...Array.from({ length: 9 }, () => held(scene, changes(1))));
      const id = await scene.withoutWorker(async () => {
        const started = await scene.detach(words);
        await scene.startAgain<MonitorScanInput>(started, async ({ list }) => {
          const pages = await splitPages(scene, list);
          return { list: { ...list, pages }, eventsPerExecution: 3 };
        });
        return started;
      });
      await scene.end(id);
    },
  },
  {
    name: 'cancelled',
    of: ['monitorScan'],
    async play(scene) {
      const monitorId = held(scene, { ...changes(2), list: slowList });
      const id = await scene.detach(sweep(monitorId, held(scene, changes(1))));
      await cancelOnceListed(scene, id, monitorId);
    },
  },
];
