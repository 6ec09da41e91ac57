import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { IdKey } from '../../../src/protection/id-key';
import { openStore } from '../../../src/store/open-store';
import { Store } from '../../../src/store/store';
import { StoreError } from '../../../src/store/store-error';
import { ReadinessProbe } from '../../../src/workers/readiness';
import type { RunningWorkers } from '../../../src/workers/run-workers';
import { inFolder, TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;
let store: Store;
let root: string;
let idle: string[] = [];
let engine: () => Promise<void> = () => Promise.resolve();

const workers: RunningWorkers = {
  stop: () => Promise.resolve(),
  finished: Promise.resolve(),
  idleQueues: () => idle,
  reachEngine: () => engine(),
};

beforeEach(async () => {
  place = new TemporaryStore();
  root = join(place.folder, 'opened');
  store = await openStore(inFolder(root), IdKey.parse('ab'.repeat(32)));
  idle = [];
  engine = () => Promise.resolve();
});

afterEach(() => place.remove());

function running(of: Store = store): ReadinessProbe {
  const probe = new ReadinessProbe(of);
  probe.started(workers);
  return probe;
}

it('is ready when the workers poll, the server answers and the store is there', async () => {
  expect(await running().look()).toEqual({
    ready: true,
    state: 'running',
    checks: { workers: 'ok', engine: 'ok', store: 'ok' },
  });
});

it('is not ready before the workers run, nor once it was told to stop', async () => {
  const probe = new ReadinessProbe(store);
  expect(await probe.look()).toMatchObject({ ready: false, state: 'starting' });
  probe.started(workers);
  expect(await probe.look()).toMatchObject({ ready: true, state: 'running' });
  probe.stopping();
  expect(await probe.look()).toMatchObject({ ready: false, state: 'stopping' });
});

it('names the queue that is not polled', async () => {
  idle = ['workflows-0a1b2c3d'];
  expect(await running().look()).toMatchObject({
    ready: false,
    checks: { workers: 'not polling: workflows-0a1b2c3d', engine: 'ok' },
  });
});

it('says that the server does not answer, by the name of the error alone', async () => {
  engine = () => Promise.reject(new TypeError('10.0.0.1:7233 said no'));
  expect(await running().look()).toMatchObject({
    ready: false,
    checks: { engine: 'the Temporal server does not answer (TypeError)' },
  });
});

it('waits for a server that hangs no longer than a probe waits for it', async () => {
  engine = () => new Promise(() => {});
  const probe = new ReadinessProbe(store, 150);
  probe.started(workers);
  const { ready, checks } = await probe.look();
  expect({ ready, engine: checks.engine }).toEqual({
    ready: false,
    engine: 'the Temporal server does not answer (nothing within 150 ms)',
  });
});

it('takes an empty directory where the store was for no store', async () => {
  const probe = running();
  rmSync(root, { recursive: true });
  mkdirSync(root);
  expect(await probe.look()).toMatchObject({
    ready: false,
    checks: { store: 'the store cannot be read and written (StoreError: gone)' },
  });
});

it('sees a store that can be read and not written', async () => {
  const full = new Store(place.database);
  full.prove = () => Promise.reject(new StoreError('full', 'database or disk is full'));
  expect(await running(full).look()).toMatchObject({
    ready: false,
    checks: { store: 'the store cannot be read and written (StoreError: full)' },
  });
});
