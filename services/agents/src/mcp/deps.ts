import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { AgentsConfig } from '../config.ts';

export interface Deps extends Foundation {
  config: Pick<AgentsConfig, 'EGRESS_ALLOWED_HOSTS'>;
  /** Seals the authorizations of servers. */
  keyring: Keyring;
}
