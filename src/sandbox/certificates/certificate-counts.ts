/** How often each document was asked for, and how often the service really began. */

import type { Subject } from '../faults/fault-plan';

export interface CertificateCounts {
  document: string;
  tipo: string;
  /** POSTs that arrived for the document, whatever came of them. */
  requested: number;
  /** Issuances that the service really began: more than one is a certificate bought twice. */
  started: number;
  polls: number;
  /** PDF requests for a finished certificate. */
  pdfs: number;
}

export class CertificateTally {
  readonly #counts = new Map<string, CertificateCounts>();

  /** The live line of the subject. */
  of({ document, tipo }: Subject): CertificateCounts {
    const key = `${tipo}|${document}`;
    let counts = this.#counts.get(key);
    if (counts === undefined) {
      counts = { document, tipo, requested: 0, started: 0, polls: 0, pdfs: 0 };
      this.#counts.set(key, counts);
    }
    return counts;
  }

  holds({ document, tipo }: Subject): boolean {
    return this.#counts.has(`${tipo}|${document}`);
  }

  get size(): number {
    return this.#counts.size;
  }

  all(): CertificateCounts[] {
    return [...this.#counts.values()].map((counts) => ({ ...counts }));
  }

  clear(): void {
    this.#counts.clear();
  }
}
