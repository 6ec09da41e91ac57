import type { IdKey } from '../../protection/id-key';
import type { Store } from '../store';

/** Who asks for a job: where it is stored, what names its subjects, and in whose name. */
export interface Asker {
  store: Store;
  idKey: IdKey;
  environment: { actor: string };
}
