import type { IdKey } from '../../protection/id-key';
import type { Store } from '../store';

/** Requester of a job: where it is stored, what names its subjects, and the actor. */
export interface Asker {
  store: Store;
  idKey: IdKey;
  environment: { actor: string };
}
