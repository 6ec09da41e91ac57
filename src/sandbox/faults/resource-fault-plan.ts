/** Decides what goes wrong with a call: scripted steps first, then the seeded background. */

import { draw } from '../chance';
import type { BackgroundTrouble, CallSteps } from '../resource-scenario';
import { stepAt } from './fault-plan';
import { strikesRole, type CallRole, type ResourceFaultKind } from './resource-fault-words';

export interface ResourceTrouble {
  kind: ResourceFaultKind;
  retryAfterSeconds?: number | undefined;
  delayMs?: number | undefined;
}

export interface ResourceFaultParts<Stage extends string> {
  seed: number;
  /** Keeps what is drawn for one resource apart from the others. */
  name: string;
  roles: Readonly<Record<Stage, CallRole>>;
  /** Steps of the subject itself, else those of all; empty when there are none. */
  stepsOf(stage: Stage, subject: string): CallSteps;
  background(): BackgroundTrouble<Stage>;
}

export class ResourceFaultPlan<Stage extends string> {
  readonly #parts: ResourceFaultParts<Stage>;
  readonly #positions = new Map<string, number>();

  constructor(parts: ResourceFaultParts<Stage>) {
    this.#parts = parts;
  }

  /** What strikes the next call of this stage about the subject; null when nothing does. */
  next(stage: Stage, subject: string): ResourceTrouble | null {
    const key = `${stage}|${subject}`;
    const position = this.#positions.get(key) ?? 0;
    this.#positions.set(key, position + 1);
    const steps = this.#parts.stepsOf(stage, subject);
    const step = stepAt(steps, position);
    if (step !== undefined) return step.kind === 'ok' ? null : { ...step, kind: step.kind };
    return steps.length > 0 ? null : this.#background(stage, subject, position);
  }

  /** Begins all steps again. */
  restart(): void {
    this.#positions.clear();
  }

  #background(stage: Stage, subject: string, position: number): ResourceTrouble | null {
    const { name, roles, seed } = this.#parts;
    const { rate, kinds } = this.#parts.background();
    const drawn = [seed, name, stage, subject, position];
    if (rate === 0 || draw('strikes', ...drawn) >= rate) return null;
    const fitting = kinds.filter(
      ({ kind, stages }) =>
        strikesRole(kind, roles[stage]) && (stages === undefined || stages.includes(stage)),
    );
    return fitting[Math.floor(draw('kind', ...drawn) * fitting.length)] ?? null;
  }
}
