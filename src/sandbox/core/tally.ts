/** How often what was asked for, by what it is about. */

export class Tally<Line extends object> {
  readonly #lines = new Map<string, Line>();
  readonly #blank: () => Line;

  constructor(blank: () => Line) {
    this.#blank = blank;
  }

  /** The live line; `about` is what a new one begins with. */
  of(key: string, about: Partial<Line> = {}): Line {
    const line = this.#lines.get(key) ?? { ...this.#blank(), ...about };
    this.#lines.set(key, line);
    return line;
  }

  get size(): number {
    return this.#lines.size;
  }

  has(key: string): boolean {
    return this.#lines.has(key);
  }

  /** Copies. */
  all(): Line[] {
    return [...this.#lines.values()].map((line) => ({ ...line }));
  }
}
