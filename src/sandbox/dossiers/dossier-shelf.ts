/** The dossiers that the service holds: those of the scenario, and what became of them. */

import { drawDuration, seededUuid } from '../core/chance';
import type { SandboxClock } from '../core/clock';
import { beginWork } from '../core/work';
import { stepAt } from '../faults/fault-plan';
import { Refusal } from '../http/refusal';
import { isCancellableAt, type Attempt } from './attempts';
import type { DossierScenario, DossierScript } from './dossier-scenario';

export interface HeldDossier {
  id: string;
  script: DossierScript;
  createdAt: number;
  /** All that began here, the current one last. */
  attempts: [Attempt, ...Attempt[]];
  /** Calls that arrived about it. */
  counts: { statusReads: number; retryRequests: number; cancelRequests: number; pdfs: number };
}

/** Id of the nth seeded dossier, from 1. */
export function seededDossierId(number: number): string {
  return `444f5353-4945-4000-8000-${String(number).padStart(12, '0')}`;
}

export interface DossierShelfParts {
  seed: number;
  clock: SandboxClock;
  scenario: () => DossierScenario;
}

export class DossierShelf {
  readonly #parts: DossierShelfParts;
  readonly #dossiers = new Map<string, HeldDossier>();

  constructor(parts: DossierShelfParts) {
    this.#parts = parts;
    this.restock();
  }

  /** Begins anew with the dossiers of the scenario. */
  restock(): void {
    const { held, pattern, seeded } = this.#parts.scenario();
    this.#dossiers.clear();
    for (let number = 1; number <= seeded.dossiers; number += 1) {
      this.#put(seededDossierId(number), pattern);
    }
    for (const [id, script] of Object.entries(held)) this.#put(id, script);
  }

  /** These dossiers begin anew, as the scenario has them; those it no longer has are gone. */
  restart(ids: readonly string[]): void {
    const { held } = this.#parts.scenario();
    for (const id of ids) {
      const script = held[id];
      if (script === undefined) this.#dossiers.delete(id);
      else this.#put(id, script);
    }
  }

  all(): HeldDossier[] {
    return [...this.#dossiers.values()];
  }

  /** @throws Refusal 404 */
  get(id: string): HeldDossier {
    const dossier = this.#dossiers.get(id.toLowerCase());
    if (dossier === undefined) throw new Refusal(404, 'dossie_not_found', 'No such dossier.');
    return dossier;
  }

  /** A new attempt under the same id. */
  beginAgain(dossier: HeldDossier, by: 'client' | 'other'): Attempt {
    const { attempts, id, script } = dossier;
    const now = this.#parts.clock.now();
    const attempt = this.#attempt(id, script, attempts.length, by, now);
    dossier.attempts.push(attempt);
    return attempt;
  }

  /** As its script says: cancelled after a while, or on to its end all the same. */
  cancel(dossier: HeldDossier): void {
    const { clock, scenario, seed } = this.#parts;
    const attempt = currentOf(dossier);
    const now = clock.now();
    if (dossier.script.cancelling !== 'cancelled' || !isCancellableAt(attempt, now)) return;
    const takes = drawDuration(scenario().cancelMs, 'uniform', seed, 'cancel', attempt.id);
    attempt.cancelledAt = Math.min(attempt.cancelledAt, now + takes);
  }

  #put(id: string, script: DossierScript): void {
    const at = this.#parts.clock.now();
    const attempt = this.#attempt(id, script, 0, 'start', at);
    this.#dossiers.set(id, {
      id,
      script,
      createdAt: at,
      attempts: [attempt],
      counts: { statusReads: 0, retryRequests: 0, cancelRequests: 0, pdfs: 0 },
    });
  }

  /** @param ordinal how many began here before */
  #attempt(
    dossierId: string,
    script: DossierScript,
    ordinal: number,
    by: Attempt['by'],
    at: number,
  ): Attempt {
    const { scenario, seed } = this.#parts;
    const ending = stepAt(script.end ?? [], ordinal)?.kind ?? 'completed';
    const number = ordinal + 1;
    const words = [seed, 'dossier', dossierId, number];
    return {
      ...beginWork(at, ending, scenario().timing, words, script),
      id: seededUuid(`attempt|${words.join('|')}`),
      number,
      by,
      cancelledAt: Number.POSITIVE_INFINITY,
    };
  }
}

export function currentOf({ attempts }: HeldDossier): Attempt {
  return attempts.at(-1) ?? attempts[0];
}
