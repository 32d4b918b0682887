import type { Deps as AuthorizationDeps } from './authorization/deps.ts';
import type { Deps as BotsDeps } from './bots/deps.ts';
import type { Deps as CallersDeps } from './callers/deps.ts';
import type { Deps as ErasureDeps } from './erasure/deps.ts';
import type { Deps as IdentityDeps } from './identity/deps.ts';
import type { Deps as IdpAdminDeps } from './idp-admin/deps.ts';
import type { Deps as InstallationMailsDeps } from './installation-mails/deps.ts';
import type { Deps as IntegrationsDeps } from './integrations/deps.ts';
import type { Deps as InvitationsDeps } from './invitations/deps.ts';
import type { Deps as LimitsDeps } from './limits/deps.ts';
import type { Deps as MailDomainsDeps } from './mail-domains/deps.ts';
import type { Deps as MessengerLoginDeps } from './messenger-login/deps.ts';
import type { Deps as ModerationDeps } from './moderation/deps.ts';
import type { Deps as OperationsDeps } from './operations/deps.ts';
import type { Deps as PeopleDeps } from './people/deps.ts';
import type { Deps as PlatformsDeps } from './platforms/deps.ts';
import type { Deps as PoliciesDeps } from './policies/deps.ts';
import type { Deps as PolicyMigrationDeps } from './policy-migration/deps.ts';
import type { Deps as SystemDeps } from './system/deps.ts';
import type { Deps as TenantsDeps } from './tenants/deps.ts';

/** The needs of all modules together; `app.ts` makes it. */
export type Deps = AuthorizationDeps &
  BotsDeps &
  CallersDeps &
  ErasureDeps &
  IdentityDeps &
  IdpAdminDeps &
  InstallationMailsDeps &
  IntegrationsDeps &
  InvitationsDeps &
  LimitsDeps &
  MailDomainsDeps &
  MessengerLoginDeps &
  ModerationDeps &
  OperationsDeps &
  PeopleDeps &
  PlatformsDeps &
  PoliciesDeps &
  PolicyMigrationDeps &
  SystemDeps &
  TenantsDeps;
