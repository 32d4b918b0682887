import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';

export interface Deps extends Foundation {
  keyring: Keyring;
  /** Storage of the ledger of erasures. */
  objects: ObjectStore;
  /** Wakes the eraser, because an erasure may be pending. */
  wakeEraser: () => void;
}
