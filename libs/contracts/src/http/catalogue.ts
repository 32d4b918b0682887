import { agentsRouter } from './agents.ts';
import { analyticsRouter } from './analytics.ts';
import { appsRouter } from './apps.ts';
import { appsAdminRouter } from './apps-admin.ts';
import { archivalRouter } from './archival.ts';
import { authRouter } from './auth.ts';
import { authorizationEdgesRouter } from './authorization-edges.ts';
import { botAssignmentRouter } from './bot-assignment.ts';
import { botGroupsRouter } from './bot-groups.ts';
import { botsRouter } from './bots.ts';
import { configRouter } from './config.ts';
import { contextSourcesRouter } from './context-sources.ts';
import { contextTracesRouter } from './context-traces.ts';
import type { Router } from './contract.ts';
import { currentUserRouter } from './current-user.ts';
import { dashboardRouter } from './dashboard.ts';
import { databaseRouter } from './database.ts';
import { definitionsRouter } from './definitions.ts';
import { emailAuthRouter } from './email-auth.ts';
import { emailThreadsRouter } from './email-threads.ts';
import { evaluationsRouter } from './evaluations.ts';
import { gdprRouter } from './gdpr.ts';
import { identityLinksRouter } from './identity-links.ts';
import { idpAdminRouter } from './idp-admin.ts';
import { integrationsRouter } from './integrations.ts';
import { integrationsAdminRouter } from './integrations-admin.ts';
import { toolServersRouter } from './integrations-servers.ts';
import { interactionsRouter } from './interactions.ts';
import { keysRouter } from './keys.ts';
import { liveRouter } from './live.ts';
import { messengerAuthRouter } from './messenger-auth.ts';
import { migrationsRouter } from './migrations.ts';
import { platformUsersRouter } from './platform-users.ts';
import { platformsRouter } from './platforms.ts';
import { specMigrationRouter } from './spec-migration.ts';
import { superadminBotsRouter } from './superadmin-bots.ts';
import { superadminTenantsRouter, superadminUsersRouter } from './superadmin-tenants.ts';
import { systemRouter } from './system.ts';
import { tenantRouter } from './tenant.ts';
import { toolsRouter } from './tools.ts';
import { usageRouter } from './usage.ts';
import { usersRouter } from './users.ts';

/** All routers of the API. The gateway's routing table, the documents and the access test derive from it. */
export const routers: readonly Router[] = [
  superadminTenantsRouter,
  superadminUsersRouter,
  superadminBotsRouter,
  botsRouter,
  currentUserRouter,
  usersRouter,
  tenantRouter,
  idpAdminRouter,
  messengerAuthRouter,
  identityLinksRouter,
  platformsRouter,
  platformUsersRouter,
  migrationsRouter,
  specMigrationRouter,
  configRouter,
  systemRouter,
  databaseRouter,
  dashboardRouter,
  gdprRouter,
  authRouter,
  authorizationEdgesRouter,
  definitionsRouter,
  agentsRouter,
  appsAdminRouter,
  appsRouter,
  botAssignmentRouter,
  botGroupsRouter,
  evaluationsRouter,
  interactionsRouter,
  analyticsRouter,
  liveRouter,
  contextSourcesRouter,
  contextTracesRouter,
  emailAuthRouter,
  emailThreadsRouter,
  archivalRouter,
  keysRouter,
  usageRouter,
  toolsRouter,
  toolServersRouter,
  integrationsRouter,
  integrationsAdminRouter,
];

/** Path prefixes that require no authentication (REQ-GATE-1). */
export const publicPrefixes = ['/api/health', '/api/otel', '/api/messenger-auth', '/api/email-auth'] as const;
