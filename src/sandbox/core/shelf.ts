/** What the service holds from the start: things of the scenario by their id, and others drawn from the seed. */

import type { Refusal } from '../http/answer';
import type { SectionPatch } from '../http/service';

interface ShelfParts<Script, Held> {
  /** As the scenario has it now; `pattern` is what each of the seeded ones is. */
  stock: () => { seeded: number; pattern: Script; held: Readonly<Record<string, Script>> };
  /** @param number from 1 */
  seededId: (number: number) => string;
  make: (id: string, script: Script) => Held;
  missing: () => Refusal;
}

export function createShelf<Script, Held>(parts: ShelfParts<Script, Held>) {
  const { stock, seededId, make, missing } = parts;
  const things = new Map<string, Held>();

  /** Those that the scenario no longer has are gone. */
  function restart(ids: readonly string[]): void {
    const { held } = stock();
    for (const id of ids) {
      const script = held[id];
      if (script === undefined) things.delete(id);
      else things.set(id, make(id, script));
    }
  }

  function restock(): void {
    const { held, pattern, seeded } = stock();
    things.clear();
    for (let number = 1; number <= seeded; number += 1) {
      const id = seededId(number);
      things.set(id, make(id, pattern));
    }
    restart(Object.keys(held));
  }
  restock();

  return {
    all: (): Held[] => [...things.values()],
    /** @throws Refusal 404 */
    get(id: string): Held {
      const held = things.get(id.toLowerCase());
      if (held === undefined) throw missing();
      return held;
    },
    /** Those that the patch names begin anew, all of them by `seeded` or `pattern`. */
    patched({ held = {}, pattern, seeded }: SectionPatch): void {
      if (seeded === undefined && pattern === undefined) restart(Object.keys(held));
      else restock();
    },
  };
}
