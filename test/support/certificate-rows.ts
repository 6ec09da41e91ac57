import type { CertificateRecord, RowListRef } from '../../src/domain/certificates/job';
import { RowWriter } from '../../src/store/core/row-writer';
import type { NameOf } from '../../src/store/core/subjects';
import type { Store } from '../../src/store/store';

/** Writes a certificate job: its rows, then the job record. */
export class CertificateRowWriter extends RowWriter {
  readonly #store: Store;
  readonly #folder: string;
  readonly #nameOf: NameOf;

  constructor(store: Store, folder: string, nameOf: NameOf) {
    super((rows) => store.rows.put(folder, rows, nameOf));
    this.#store = store;
    this.#folder = folder;
    this.#nameOf = nameOf;
  }

  /** Afterwards the job can be started. */
  async finish(request: Omit<CertificateRecord, 'items'>): Promise<RowListRef> {
    const folder = this.#folder;
    const items = await this.end();
    const { jobId: id, kind, createdAt } = request;
    const label = request.label && this.#nameOf(request.label);
    const record: CertificateRecord = { ...request, items };
    await this.#store.jobs.start(folder, { id, kind, createdAt, label }, record);
    return { folder, items, outcomesIn: folder };
  }
}
