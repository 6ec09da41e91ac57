/** Decides what goes wrong: the scripted steps first, then the seeded background. */

import { draw } from '../chance';
import { stepAt } from '../faults/fault-plan';
import {
  creditEndings,
  isCreditFault,
  strikesCreditAt,
  type CreditFaultKind,
  type CreditStage,
  type OperationStage,
  type OtherStage,
} from './credit-fault-words';
import type {
  CreditBackgroundKind,
  CreditEndingStep,
  CreditScenario,
  CreditStep,
  FileScript,
} from './credit-scenario';

export interface CreditTrouble {
  kind: CreditFaultKind;
  retryAfterSeconds?: number | undefined;
  delayMs?: number | undefined;
}

/** The file an operation is about. Each (bytes, name) pair goes through its own copy of the steps. */
export interface FileSubject {
  sha256: string;
  name: string;
}

export class CreditFaultPlan {
  readonly #seed: number;
  readonly #scenario: () => CreditScenario;
  readonly #positions = new Map<string, number>();

  constructor(seed: number, scenario: () => CreditScenario) {
    this.#seed = seed;
    this.#scenario = scenario;
  }

  scriptOf({ sha256, name }: FileSubject): FileScript | undefined {
    const { files } = this.#scenario();
    return files[sha256] ?? files[name] ?? files['*'];
  }

  /** What strikes the next call of this stage about the file; null when nothing does. */
  nextOfFile(stage: OperationStage, file: FileSubject): CreditTrouble | null {
    const words = [file.sha256, file.name];
    const steps = this.scriptOf(file)?.[stage];
    return this.#next(stage, words, steps, this.#isNamed(file));
  }

  /** What strikes the next call of this stage; null when nothing does. */
  nextOf(stage: OtherStage): CreditTrouble | null {
    const steps = this.#scenario().calls[stage];
    return this.#next(stage, [], steps, steps.length > 0);
  }

  /** How the next operation of this file ends. */
  nextEnding(file: FileSubject): CreditEndingStep {
    const words = [file.sha256, file.name];
    const position = this.#advance('end', words);
    const scripted = this.scriptOf(file)?.end;
    const step =
      scripted === undefined && !this.#isNamed(file)
        ? this.#backgroundEnding(words, position)
        : stepAt(scripted ?? [], position);
    return step ?? { kind: 'completed', times: 'forever' };
  }

  /** Begins all steps again. */
  restart(): void {
    this.#positions.clear();
  }

  #isNamed({ sha256, name }: FileSubject): boolean {
    const { files } = this.#scenario();
    return Object.hasOwn(files, sha256) || Object.hasOwn(files, name);
  }

  #next(
    stage: CreditStage,
    words: readonly string[],
    steps: readonly CreditStep[] | undefined,
    isScripted: boolean,
  ): CreditTrouble | null {
    const position = this.#advance(stage, words);
    const step = stepAt(steps ?? [], position);
    if (step !== undefined) return step.kind === 'ok' ? null : { ...step, kind: step.kind };
    return isScripted ? null : this.#background(stage, words, position);
  }

  #advance(stage: CreditStage | 'end', words: readonly string[]): number {
    const key = [stage, ...words].join('|');
    const position = this.#positions.get(key) ?? 0;
    this.#positions.set(key, position + 1);
    return position;
  }

  #background(
    stage: CreditStage,
    words: readonly string[],
    position: number,
  ): CreditTrouble | null {
    const { rate, kinds } = this.#scenario().background;
    const drawn = [this.#seed, 'credit', stage, ...words, position];
    if (rate === 0 || draw('strikes', ...drawn) >= rate) return null;
    const chosen = choose(
      kinds.filter((entry) => fits(entry, stage)),
      drawn,
    );
    return chosen !== undefined && isCreditFault(chosen.kind)
      ? { ...chosen, kind: chosen.kind }
      : null;
  }

  #backgroundEnding(words: readonly string[], position: number): CreditEndingStep | undefined {
    const { rate, kinds } = this.#scenario().background;
    const drawn = [this.#seed, 'credit', 'end', ...words];
    if (rate === 0 || draw('strikes', ...drawn) >= rate) return undefined;
    const endings = kinds.flatMap((entry) =>
      isCreditFault(entry.kind) ? [] : [{ ...entry, kind: entry.kind }],
    );
    const chosen = choose(endings, drawn);
    if (chosen === undefined) return undefined;
    const times = chosen.times ?? creditEndings[chosen.kind].times;
    return stepAt([{ ...chosen, times }], position);
  }
}

function choose<Entry>(
  entries: readonly Entry[],
  drawn: readonly (string | number)[],
): Entry | undefined {
  return entries[Math.floor(draw('kind', ...drawn) * entries.length)];
}

function fits({ kind, stages }: CreditBackgroundKind, stage: CreditStage): boolean {
  return isCreditFault(kind) && strikesCreditAt(kind, stage) && (stages?.includes(stage) ?? true);
}
