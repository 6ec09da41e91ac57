import { createMonitorProbeActivities } from '../../activities/monitors/probe-monitors';
import { createMonitorReconcileActivities } from '../../activities/monitors/reconcile';
import { createMonitorSweepActivities } from '../../activities/monitors/sweep-pages';
import { MonitorsApi } from '../../apis/investigation/monitors';
import { openSinks } from '../../sinks/open-sinks';
import { ChangeRepository } from '../../store/monitors/changes';
import type { InvestigationBase } from '../part';

export function monitors({ common, service, timeoutMs, environment }: InvestigationBase) {
  const changes = new ChangeRepository(common.store, common.nameOf);
  const sinks = openSinks(environment.monitorSinks, common.store, changes, (sink, why) =>
    common.warn('a sink takes nothing any more: see `diligence monitor sink`', { sink, why }),
  );
  const deps = {
    ...common,
    monitors: new MonitorsApi(service, environment.monitorNames, timeoutMs),
    sinks,
    escalateAfter: environment.monitorEscalateAfter,
  };
  return {
    activities: {
      ...createMonitorSweepActivities(deps),
      ...createMonitorProbeActivities(deps),
      ...createMonitorReconcileActivities(deps),
    },
    close: async () => void (await Promise.all(sinks.all.map((sink) => sink.close()))),
  };
}
