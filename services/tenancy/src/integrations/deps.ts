import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';

export interface Deps extends Foundation {
  keyring: Keyring;
}
