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
