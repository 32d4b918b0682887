import type { CallerDirectory } from '@botyard/shared/auth/caller';
import type { Database } from '@botyard/shared/db/database';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { DnsClient } from './clients/dns.ts';
import type { IdpClient } from './clients/idp.ts';
import type { IdpAdminClient } from './clients/idp-admin.ts';
import type { IdpTickets } from './clients/idp-tickets.ts';
import type { MessengerClient } from './clients/messenger.ts';
import type { HashToken } from './domain/bots/token-hash.ts';
import type { MessengerLogin } from './domain/messenger-login/login-bot.ts';
import type { PolicyDecisions } from './domain/policies/decisions.ts';
import type { TryPolicy } from './domain/policies/trial.ts';
import type { PolicyMigrator } from './domain/policy-migration/migrator.ts';
import type { Restarter } from './domain/system/restarter.ts';
import type { DefaultLimits } from './domain/tenants/limits.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  /** The catalogue of all schemas, by a login that may do nothing else; `null` where it isn't set up. */
  reader: Database | null;
  idp: IdpClient;
  idpAdmin: IdpAdminClient;
  idpTickets: IdpTickets;
  messenger: MessengerClient;
  /** Asked whether a tenant has proven a mail domain. */
  dns: DnsClient;
  /** The domain of the installation's own account at the mailer. */
  mailerDomain: string | undefined;
  /** Origin that platforms are told to call. */
  webhookBaseUrl: string;
  /** Where people reach the console: links in mails begin with it. */
  publicBaseUrl: string;
  isProduction: boolean;
  /** `null` without a login bot: then nobody signs in or links through the messenger. */
  messengerLogin: MessengerLogin | null;
  callers: CallerDirectory;
  /** What tenants and people may have where no operator has set anything. */
  limits: DefaultLimits;
  /** Where the ledger of erasures lies. */
  objects: ObjectStore;
  /** A person may wait to be erased. */
  wakeEraser: () => void;
  policyMigrator: PolicyMigrator;
  restarter: Restarter;
  hashToken: HashToken;
  policies: PolicyDecisions;
  tryPolicy: TryPolicy;
}
