/** Decides what goes wrong: the scripted steps first, then the seeded background. */

import { draw } from '../core/chance';
import type { Times } from '../core/scenario-parts';
import type { Endings } from '../core/work';
import type { Background, CallSteps, EndSteps } from './fault-scenario';
import { isFault, strikesRole, type CallRole, type FaultKind } from './faults';

/** A fault about to strike one call. */
export interface InjectedFault {
  kind: FaultKind;
  retryAfterSeconds?: number | undefined;
  delayMs?: number | undefined;
}

/** What a call is about: what the scenario names, and which of its copies of the steps it goes through. */
export interface Subject {
  subject: string;
  variant?: string | undefined;
}

interface FaultPlanParts<Stage extends string> {
  seed: number;
  /** Keeps what is drawn for one resource apart from the others. */
  name: string;
  roles: Readonly<Record<Stage, CallRole>>;
  /** Undefined where the scenario says nothing of the call: then the background strikes. */
  stepsOf(stage: Stage, subject: Subject): CallSteps | undefined;
  background(): Background;
}

/** The step that call number `position` (from 0) meets, undefined once all steps are used up. */
function stepAt<Step extends { times: Times }>(
  steps: readonly Step[],
  position: number,
): Step | undefined {
  let left = position;
  for (const step of steps) {
    if (step.times === 'forever' || left < step.times) return step;
    left -= step.times;
  }
  return undefined;
}

/** How work ends that starts after so many others; completed once all steps are used up. */
export const endingAt = <Kind extends string>(steps: EndSteps<Kind> = [], before: number) =>
  stepAt(steps, before)?.kind ?? 'completed';

export class FaultPlan<Stage extends string> {
  readonly #parts: FaultPlanParts<Stage>;
  readonly #positions = new Map<string, number>();

  constructor(parts: FaultPlanParts<Stage>) {
    this.#parts = parts;
  }

  /** What strikes the next call of this stage about the subject; null when nothing does. */
  next(stage: Stage, about: Subject): InjectedFault | null {
    const position = this.#advance(stage, about);
    const steps = this.#parts.stepsOf(stage, about);
    if (steps === undefined) return this.#background(stage, about, position);
    const step = stepAt(steps, position);
    return step === undefined || step.kind === 'ok' ? null : { ...step, kind: step.kind };
  }

  /**
   * How the next work on the subject ends; what the scenario does not name may end as the background
   * says, which is drawn once for the subject.
   */
  nextEnding<Kind extends string>(
    about: Subject,
    scripted: EndSteps<Kind> | undefined,
    endings: Endings<Kind>,
    isNamed: boolean,
  ): { kind: Kind | 'completed'; retryAfterSeconds?: number | undefined } {
    const position = this.#advance('end', about);
    const drawn = scripted ?? (isNamed ? [] : this.#backgroundEndings(about, endings));
    return stepAt(drawn, position) ?? { kind: 'completed' };
  }

  /** Begins the steps of these subjects again; of all when none is named. */
  restart(subjects?: readonly string[]): void {
    for (const key of this.#positions.keys()) {
      const about = key.split('|').slice(1);
      if (subjects?.every((name) => name !== '*' && !about.includes(name)) !== true) {
        this.#positions.delete(key);
      }
    }
  }

  #advance(stage: string, { subject, variant = '' }: Subject): number {
    const key = `${stage}|${subject}|${variant}`;
    const position = this.#positions.get(key) ?? 0;
    this.#positions.set(key, position + 1);
    return position;
  }

  #background(stage: Stage, about: Subject, position: number): InjectedFault | null {
    const { roles } = this.#parts;
    const chosen = this.#drawn([stage, ...wordsOf(about), position], ({ kind, stages }) => {
      return isFault(kind) && strikesRole(kind, roles[stage]) && stages?.includes(stage) !== false;
    });
    return chosen === null ? null : { ...chosen, kind: chosen.kind as FaultKind };
  }

  #backgroundEndings<Kind extends string>(about: Subject, endings: Endings<Kind>): EndSteps<Kind> {
    const chosen = this.#drawn(['end', ...wordsOf(about)], ({ kind }) =>
      Object.hasOwn(endings, kind),
    );
    if (chosen === null) return [];
    const kind = chosen.kind as Kind;
    return [{ ...chosen, kind, times: chosen.times ?? endings[kind][0] }];
  }

  #drawn(
    about: readonly (string | number)[],
    fits: (kind: Background['kinds'][number]) => boolean,
  ): Background['kinds'][number] | null {
    const { name, seed } = this.#parts;
    const { rate, kinds } = this.#parts.background();
    const words = [seed, name, ...about];
    if (rate === 0 || draw('strikes', ...words) >= rate) return null;
    const fitting = kinds.filter(fits);
    return fitting[Math.floor(draw('kind', ...words) * fitting.length)] ?? null;
  }
}

const wordsOf = ({ subject, variant }: Subject) =>
  variant === undefined ? [subject] : [subject, variant];
