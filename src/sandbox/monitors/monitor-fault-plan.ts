/** Decides what goes wrong with a monitor call: scripted steps first, then the seeded background. */

import { draw } from '../chance';
import { stepAt } from '../faults/fault-plan';
import { stagesOf, type MonitorFaultKind, type MonitorStage } from './monitor-fault-words';
import type { MonitorBackgroundKind, MonitorScenario } from './monitor-scenario';

export interface MonitorTrouble {
  kind: MonitorFaultKind;
  retryAfterSeconds?: number | undefined;
  delayMs?: number | undefined;
}

export class MonitorFaultPlan {
  readonly #seed: number;
  readonly #scenario: () => MonitorScenario;
  readonly #positions = new Map<string, number>();

  constructor(seed: number, scenario: () => MonitorScenario) {
    this.#seed = seed;
    this.#scenario = scenario;
  }

  /** What strikes the next call of this stage about the monitor; null when nothing does. */
  next(stage: MonitorStage, monitorId: string): MonitorTrouble | null {
    const key = `${stage}|${monitorId}`;
    const position = this.#positions.get(key) ?? 0;
    this.#positions.set(key, position + 1);
    const { held, calls } = this.#scenario();
    const own = held[monitorId]?.[stage] ?? [];
    const steps = own.length > 0 ? own : calls[stage];
    const step = stepAt(steps, position);
    if (step !== undefined) return step.kind === 'ok' ? null : { ...step, kind: step.kind };
    return steps.length > 0 ? null : this.#background(stage, monitorId, position);
  }

  /** Begins all steps again. */
  restart(): void {
    this.#positions.clear();
  }

  #background(stage: MonitorStage, monitorId: string, position: number): MonitorTrouble | null {
    const { rate, kinds } = this.#scenario().background;
    const drawn = [this.#seed, 'monitors', stage, monitorId, position];
    if (rate === 0 || draw('strikes', ...drawn) >= rate) return null;
    const fitting = kinds.filter((entry) => fits(entry, stage));
    return fitting[Math.floor(draw('kind', ...drawn) * fitting.length)] ?? null;
  }
}

function fits({ kind, stages }: MonitorBackgroundKind, stage: MonitorStage): boolean {
  return (stages ?? stagesOf(kind)).includes(stage);
}
