import type { Foundation } from '@botyard/shared/service/foundation';
import type { HashToken } from '../integrations/domain/token-hash.ts';
import type { DnsClient } from './clients/dns.ts';

export interface Deps extends Foundation {
  /** Checks whether a tenant has proven a mail domain. */
  dns: DnsClient;
  /** The domain of the installation's own account at the mailer. */
  mailerDomain: string | undefined;
  hashToken: HashToken;
}
