import type { CallerDirectory } from '@botyard/shared/auth/caller';
import type { Database } from '@botyard/shared/db/database';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { AccessStreams } from './callers/domain/access-streams.ts';
import type { MessengerClient } from './clients/messenger.ts';
import type { IdpClient } from './identity/clients/idp.ts';
import type { IdpAdminClient } from './idp-admin/clients/idp-admin.ts';
import type { HashToken } from './integrations/domain/token-hash.ts';
import type { DefaultLimits } from './limits/domain/limits.ts';
import type { DnsClient } from './mail-domains/clients/dns.ts';
import type { IdpTickets } from './messenger-login/clients/idp-tickets.ts';
import type { MessengerLogin } from './messenger-login/domain/login-bot.ts';
import type { PolicyDecisions } from './policies/domain/decisions.ts';
import type { TryPolicy } from './policies/domain/trial.ts';
import type { PolicyMigrator } from './policy-migration/domain/migrator.ts';
import type { Restarter } from './system/domain/restarter.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  /** Reads the catalogue of all schemas with a login that is limited to it; `null` without such a login. */
  reader: Database | null;
  idp: IdpClient;
  idpAdmin: IdpAdminClient;
  idpTickets: IdpTickets;
  messenger: MessengerClient;
  /** Checks whether a tenant has proven a mail domain. */
  dns: DnsClient;
  /** The domain of the installation's own account at the mailer. */
  mailerDomain: string | undefined;
  /** Origin that is registered at platforms for their calls. */
  webhookBaseUrl: string;
  /** The console's address for people, with which links in mails begin. */
  publicBaseUrl: string;
  isProduction: boolean;
  /** `null` without a login bot: signing in and linking through the messenger are disabled. */
  messengerLogin: MessengerLogin | null;
  callers: CallerDirectory;
  /** Streams of people's own reach. */
  accessStreams: Pick<AccessStreams, 'listen'>;
  /** Limits of tenants and people that apply unless an operator has set others. */
  limits: DefaultLimits;
  /** Storage of the ledger of erasures. */
  objects: ObjectStore;
  /** Wakes the eraser, because an erasure may be pending. */
  wakeEraser: () => void;
  policyMigrator: PolicyMigrator;
  restarter: Restarter;
  hashToken: HashToken;
  policies: PolicyDecisions;
  tryPolicy: TryPolicy;
}
