import { authRouter } from '@botyard/contracts/http/auth';
import { authorizationEdgesRouter } from '@botyard/contracts/http/authorization-edges';
import { botsRouter } from '@botyard/contracts/http/bots';
import { configRouter } from '@botyard/contracts/http/config';
import { currentUserRouter } from '@botyard/contracts/http/current-user';
import { dashboardRouter } from '@botyard/contracts/http/dashboard';
import { databaseRouter } from '@botyard/contracts/http/database';
import { gdprRouter } from '@botyard/contracts/http/gdpr';
import { identityLinksRouter } from '@botyard/contracts/http/identity-links';
import { idpAdminRouter } from '@botyard/contracts/http/idp-admin';
import { messengerAuthRouter } from '@botyard/contracts/http/messenger-auth';
import { migrationsRouter } from '@botyard/contracts/http/migrations';
import { platformUsersRouter } from '@botyard/contracts/http/platform-users';
import { platformsRouter } from '@botyard/contracts/http/platforms';
import { superadminBotsRouter } from '@botyard/contracts/http/superadmin-bots';
import { superadminTenantsRouter, superadminUsersRouter } from '@botyard/contracts/http/superadmin-tenants';
import { systemRouter } from '@botyard/contracts/http/system';
import { tenantRouter } from '@botyard/contracts/http/tenant';
import { usersRouter } from '@botyard/contracts/http/users';
import { type Served, serves } from '@botyard/shared/service/foundation';
import { authorizationEdgesHandlers } from './authorization/routes/authorization-edges.ts';
import { botHandlers } from './bots/routes/bots.ts';
import { superadminBotsHandlers } from './bots/routes/superadmin-bots.ts';
import { currentUserHandlers } from './callers/routes/current-user.ts';
import type { Deps } from './deps.ts';
import { gdprHandlers } from './erasure/routes/gdpr.ts';
import { idpAdminHandlers } from './idp-admin/routes/idp-admin.ts';
import { invitationHandlers, ownInvitationHandlers } from './invitations/routes/invitations.ts';
import { superadminTenantsHandlers, superadminUsersHandlers } from './limits/routes/superadmin-tenants.ts';
import { identityLinksHandlers } from './messenger-login/routes/identity-links.ts';
import { messengerAuthHandlers } from './messenger-login/routes/messenger-auth.ts';
import { chatRuleHandlers } from './moderation/routes/auth-chat-rules.ts';
import { dashboardHandlers } from './operations/routes/dashboard.ts';
import { databaseHandlers } from './operations/routes/database.ts';
import { memberHandlers } from './people/routes/members.ts';
import { usersHandlers } from './people/routes/users.ts';
import { platformUsersHandlers } from './platforms/routes/platform-users.ts';
import { platformsHandlers } from './platforms/routes/platforms.ts';
import { authPolicyHandlers } from './policies/routes/auth-policies.ts';
import { migrationsHandlers } from './policy-migration/routes/migrations.ts';
import { configHandlers } from './system/routes/config.ts';
import { systemHandlers } from './system/routes/system.ts';
import { tenantHandlers } from './tenants/routes/tenant.ts';
import { tenantsHandlers } from './tenants/routes/tenants.ts';

export const routes: readonly Served<Deps>[] = [
  // Mounted before the platform's own bots, which reserve everything below their path.
  serves(superadminTenantsRouter, superadminTenantsHandlers),
  serves(superadminUsersRouter, superadminUsersHandlers),
  serves(superadminBotsRouter, superadminBotsHandlers),
  serves(botsRouter, { ...botHandlers, ...tenantsHandlers, ...memberHandlers, ...invitationHandlers }),
  serves(currentUserRouter, currentUserHandlers),
  serves(usersRouter, usersHandlers),
  serves(tenantRouter, tenantHandlers),
  serves(idpAdminRouter, idpAdminHandlers),
  serves(messengerAuthRouter, messengerAuthHandlers),
  serves(identityLinksRouter, identityLinksHandlers),
  serves(platformsRouter, platformsHandlers),
  serves(platformUsersRouter, platformUsersHandlers),
  serves(migrationsRouter, migrationsHandlers),
  serves(configRouter, configHandlers),
  serves(systemRouter, systemHandlers),
  serves(databaseRouter, databaseHandlers),
  serves(dashboardRouter, dashboardHandlers),
  serves(gdprRouter, gdprHandlers),
  serves(authRouter, {
    ...authPolicyHandlers,
    ...chatRuleHandlers,
    ...ownInvitationHandlers,
  }),
  serves(authorizationEdgesRouter, authorizationEdgesHandlers),
];
