/** Decides what goes wrong: the scripted steps of a document first, then the seeded background. */

import { draw } from '../chance';
import type { BackgroundKind, DocumentScript, EndingStep, Scenario } from '../scenario';
import {
  callFaults,
  endings,
  isCallFault,
  isEnding,
  strikesAt,
  type ActingFaultKind,
  type CallFaultKind,
  type CallStage,
  type SpurningFaultKind,
  type Stage,
  type Times,
} from './fault-words';

/** A fault about to strike one call. */
export interface CallTrouble<Kind extends CallFaultKind = CallFaultKind> {
  kind: Kind;
  retryAfterSeconds?: number | undefined;
  delayMs?: number | undefined;
}

/** The same trouble, sorted by whether it keeps the request from being acted on. */
export function whenItStrikes(trouble: CallTrouble | null): {
  before: CallTrouble<SpurningFaultKind> | null;
  after: CallTrouble<ActingFaultKind> | null;
} {
  if (trouble === null) return { before: null, after: null };
  return callFaults[trouble.kind].acts
    ? { before: null, after: trouble as CallTrouble<ActingFaultKind> }
    : { before: trouble as CallTrouble<SpurningFaultKind>, after: null };
}

/** What a call is about. Each (document, type) pair goes through its own copy of the steps. */
export interface Subject {
  document: string;
  tipo: string;
}

/** The step that call number `position` (from 0) meets, undefined once all steps are used up. */
export function stepAt<Step extends { times: Times }>(
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

export class FaultPlan {
  readonly #seed: number;
  readonly #scenario: () => Scenario;
  readonly #positions = new Map<string, number>();

  constructor(seed: number, scenario: () => Scenario) {
    this.#seed = seed;
    this.#scenario = scenario;
  }

  /** The lines a scenario has for this document: its own, else those of `*`. */
  scriptOf(document: string): DocumentScript | undefined {
    const { documents } = this.#scenario();
    return documents[document] ?? documents['*'];
  }

  /** What strikes the next call of this stage; null when nothing does. */
  nextTrouble(stage: CallStage, subject: Subject): CallTrouble | null {
    const position = this.#advance(stage, subject);
    const step = stepAt(this.scriptOf(subject.document)?.[stage] ?? [], position);
    if (step !== undefined) return step.kind === 'ok' ? null : { ...step, kind: step.kind };
    return this.#isNamed(subject.document) ? null : this.#background(stage, subject, position);
  }

  /** How the next issuance of this document ends. */
  nextEnding(subject: Subject): EndingStep {
    const position = this.#advance('end', subject);
    const scripted = this.scriptOf(subject.document)?.end;
    const step =
      scripted === undefined && !this.#isNamed(subject.document)
        ? this.#backgroundEnding(subject, position)
        : stepAt(scripted ?? [], position);
    return step ?? { kind: 'completed', times: 'forever' };
  }

  /** Begins the steps of these documents again; of all documents when none is named. */
  restart(documents?: readonly string[]): void {
    if (documents === undefined || documents.includes('*')) {
      this.#positions.clear();
      return;
    }
    for (const key of this.#positions.keys()) {
      if (documents.some((document) => key.endsWith(`|${document}`))) this.#positions.delete(key);
    }
  }

  #isNamed(document: string): boolean {
    return Object.hasOwn(this.#scenario().documents, document);
  }

  #advance(stage: Stage, { document, tipo }: Subject): number {
    const key = `${stage}|${tipo}|${document}`;
    const position = this.#positions.get(key) ?? 0;
    this.#positions.set(key, position + 1);
    return position;
  }

  #background(stage: CallStage, subject: Subject, position: number): CallTrouble | null {
    const { rate, kinds } = this.#scenario().background;
    if (rate === 0) return null;
    const words = [this.#seed, stage, subject.tipo, subject.document, position];
    if (draw('strikes', ...words) >= rate) return null;
    const fitting = kinds.filter((entry) => fits(entry, stage));
    const chosen = fitting[Math.floor(draw('kind', ...words) * fitting.length)];
    return chosen !== undefined && isCallFault(chosen.kind)
      ? { ...chosen, kind: chosen.kind }
      : null;
  }

  #backgroundEnding(subject: Subject, position: number): EndingStep | undefined {
    const { rate, kinds } = this.#scenario().background;
    const words = [this.#seed, 'end', subject.tipo, subject.document];
    if (rate === 0 || draw('strikes', ...words) >= rate) return undefined;
    const fitting = kinds.flatMap((entry) =>
      isEnding(entry.kind) ? [{ ...entry, kind: entry.kind }] : [],
    );
    const chosen = fitting[Math.floor(draw('kind', ...words) * fitting.length)];
    if (chosen === undefined) return undefined;
    return stepAt([{ ...chosen, times: chosen.times ?? endings[chosen.kind].times }], position);
  }
}

function fits({ kind, stages }: BackgroundKind, stage: CallStage): boolean {
  return isCallFault(kind) && strikesAt(kind, stage) && (stages?.includes(stage) ?? true);
}
