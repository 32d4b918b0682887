import type { Egress } from '@botyard/shared/http/egress/egress';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Semaphore } from '@botyard/shared/work/semaphore';
import type { AgentsConfig } from '../config.ts';

export interface Deps extends Foundation {
  config: Pick<AgentsConfig, 'EGRESS_ALLOWED_HOSTS'>;
  /** Calls servers, whose addresses tenants choose. */
  egress: Egress;
  /** Seals the authorizations of servers. */
  keyring: Keyring;
  /** The gateway's address for browsers. */
  publicBaseUrl: string;
  /** Wakes the ticket worker, because the definition for which a call waits may have changed. */
  wakeTickets: (inMs?: number) => void;
  /** Limits how many servers are read at a time. */
  visits: Semaphore;
}
