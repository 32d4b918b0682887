import { authRouter } from '@botyard/shared/contracts/auth';
import { authorizationEdgesRouter } from '@botyard/shared/contracts/authorization-edges';
import { botsRouter } from '@botyard/shared/contracts/bots';
import { configRouter } from '@botyard/shared/contracts/config';
import { currentUserRouter } from '@botyard/shared/contracts/current-user';
import { dashboardRouter } from '@botyard/shared/contracts/dashboard';
import { databaseRouter } from '@botyard/shared/contracts/database';
import { gdprRouter } from '@botyard/shared/contracts/gdpr';
import { identityLinksRouter } from '@botyard/shared/contracts/identity-links';
import { idpAdminRouter } from '@botyard/shared/contracts/idp-admin';
import { messengerAuthRouter } from '@botyard/shared/contracts/messenger-auth';
import { migrationsRouter } from '@botyard/shared/contracts/migrations';
import { platformUsersRouter } from '@botyard/shared/contracts/platform-users';
import { platformsRouter } from '@botyard/shared/contracts/platforms';
import { superadminBotsRouter } from '@botyard/shared/contracts/superadmin-bots';
import { superadminTenantsRouter, superadminUsersRouter } from '@botyard/shared/contracts/superadmin-tenants';
import { systemRouter } from '@botyard/shared/contracts/system';
import { tenantRouter } from '@botyard/shared/contracts/tenant';
import { usersRouter } from '@botyard/shared/contracts/users';
import { type Served, serves } from '@botyard/shared/service/foundation';
import type { Deps } from './deps.ts';
import { authHandlers } from './routes/authorization/auth.ts';
import { authorizationEdgesHandlers } from './routes/authorization/authorization-edges.ts';
import { botsHandlers } from './routes/bots/bots.ts';
import { superadminBotsHandlers } from './routes/bots/superadmin-bots.ts';
import { superadminTenantsHandlers, superadminUsersHandlers } from './routes/bots/superadmin-tenants.ts';
import { currentUserHandlers } from './routes/current-user.ts';
import { gdprHandlers } from './routes/erasure/gdpr.ts';
import { identityLinksHandlers } from './routes/identity/identity-links.ts';
import { messengerAuthHandlers } from './routes/identity/messenger-auth.ts';
import { idpAdminHandlers } from './routes/idp-admin.ts';
import { migrationsHandlers } from './routes/migrations.ts';
import { dashboardHandlers } from './routes/operations/dashboard.ts';
import { databaseHandlers } from './routes/operations/database.ts';
import { platformUsersHandlers } from './routes/platforms/platform-users.ts';
import { platformsHandlers } from './routes/platforms/platforms.ts';
import { configHandlers } from './routes/system/config.ts';
import { systemHandlers } from './routes/system/system.ts';
import { tenantHandlers } from './routes/tenant.ts';
import { usersHandlers } from './routes/users.ts';

export const routes: readonly Served<Deps>[] = [
  // Before the platform's own bots: they reserve everything beneath their path.
  serves(superadminTenantsRouter, superadminTenantsHandlers),
  serves(superadminUsersRouter, superadminUsersHandlers),
  serves(superadminBotsRouter, superadminBotsHandlers),
  serves(botsRouter, botsHandlers),
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
  serves(authRouter, authHandlers),
  serves(authorizationEdgesRouter, authorizationEdgesHandlers),
];
