/** How often what was asked for, by what it is about. */
export function createTally<Line extends object>(blank: Line) {
  const lines = new Map<string, Line>();
  return {
    /** The live line; `about` is what a new one begins with. */
    of(key: string, about: Partial<Line>): Line {
      const line = lines.get(key) ?? { ...blank, ...about };
      lines.set(key, line);
      return line;
    },
    isFull: (key: string, capacity: number) => !lines.has(key) && lines.size >= capacity,
    /** Copies. */
    all: (): Line[] => [...lines.values()].map((line) => ({ ...line })),
  };
}
