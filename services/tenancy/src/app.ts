import { createDatabase, type Database } from '@botyard/shared/db/database';
import { createObjects } from '@botyard/shared/files/objects/settings';
import type { Log } from '@botyard/shared/log/log';
import { createDomainApp, createFoundation } from '@botyard/shared/service/foundation';
import type { App, RuntimeContext } from '@botyard/shared/service/run-service';
import { Wakeup } from '@botyard/shared/work/wakeup';
import type { Worker } from '@botyard/shared/work/worker';
import { AccessStreams } from './callers/domain/access-streams.ts';
import { createLocalCallers } from './callers/domain/callers.ts';
import { createIdpClient } from './clients/idp.ts';
import type { TenancyConfig } from './config.ts';
import { answerRequests, subscriptions } from './consumers.ts';
import type { Deps } from './deps.ts';
import { createEraser } from './erasure/domain/eraser.ts';
import { createKeptAdminRelease } from './identity/domain/kept-admins.ts';
import { createReconciler } from './identity/domain/reconciler.ts';
import { createIdpAdminClient } from './idp-admin/clients/idp-admin.ts';
import { createMailWorkers } from './installation-mails/domain/send-mails.ts';
import { createAccountNaming } from './integrations/domain/name-accounts.ts';
import { createResealer } from './integrations/domain/resealer.ts';
import { createTokenHash } from './integrations/domain/token-hash.ts';
import { invitationMails } from './invitations/domain/send-mail.ts';
import { createDnsClient } from './mail-domains/clients/dns.ts';
import { createDomainRechecks, createMailboxReview } from './mail-domains/domain/rechecks.ts';
import { createIdpTickets } from './messenger-login/clients/idp-tickets.ts';
import { createLoginHousekeeping } from './messenger-login/domain/attempt.ts';
import { createMessengerLogin } from './messenger-login/domain/login-bot.ts';
import { createPolicyDecisions } from './policies/domain/decisions.ts';
import { createPolicyTrial } from './policies/domain/trial.ts';
import { PolicyMigrator } from './policy-migration/domain/migrator.ts';
import { releaseMails } from './release-mails/domain/send-release-mails.ts';
import { routes } from './routes.ts';
import { Restarter } from './system/domain/restarter.ts';

/** `now` is the time that policies see. */
export async function createApp(
  config: TenancyConfig,
  runtime: RuntimeContext,
  { now = () => new Date() }: { now?: () => Date } = {},
): Promise<App> {
  const foundation = createFoundation('tenancy', config, runtime);
  const idpSettings = { ...foundation, baseUrl: config.IDP_API_URL, secretKey: config.IDP_SECRET_KEY };
  const shared = { ...foundation, keyring: config.SECRETS_KEYS };
  const { MESSENGER_LOGIN_BOT_TOKEN: botToken, MESSENGER_LOGIN_ORIGINS: origins = [] } = config;
  const policies = createPolicyDecisions({ ...foundation, now });
  const callers = createLocalCallers(foundation, policies);
  const accessStreams = new AccessStreams({ ...foundation, callers });
  const policyMigrator = new PolicyMigrator(foundation);
  const restarter = new Restarter(foundation);
  const erasures = new Wakeup();
  const deps: Deps = {
    ...shared,
    reader: createReader(config, foundation.log),
    idp: createIdpClient(idpSettings),
    idpAdmin: createIdpAdminClient(idpSettings),
    idpTickets: createIdpTickets(idpSettings),
    dns: createDnsClient(config.DNS_SERVERS),
    mailerDomain: config.MAILER_DOMAIN,
    webhookBaseUrl: config.WEBHOOK_BASE_URL,
    publicBaseUrl: config.PUBLIC_BASE_URL ?? config.WEBHOOK_BASE_URL,
    isProduction: config.NODE_ENV === 'production',
    limits: {
      tenants: config.MAX_TENANTS_PER_PERSON,
      bots: config.MAX_BOTS_PER_TENANT,
      edges: config.MAX_EDGES_PER_TENANT,
      groups: config.MAX_GROUPS_PER_TENANT,
    },
    messengerLogin: botToken ? createMessengerLogin(shared, { botToken, origins }) : null,
    objects: createObjects(config, foundation.bus),
    wakeEraser: erasures.wake,
    policyMigrator,
    restarter,
    callers,
    accessStreams,
    hashToken: createTokenHash(foundation.database, config.SECRETS_KEYS),
    policies,
    tryPolicy: createPolicyTrial(),
  };
  const eraser = createEraser(deps);
  erasures.subscribe(eraser);
  const app = await createDomainApp({
    config,
    deps,
    routes,
    subscriptions,
    onBus: answerRequests,
    callers,
    workers: [eraser, accessStreams, policyMigrator, restarter, ...workersOf(deps, config)],
  });
  return {
    ...app,
    stop: async () => {
      await app.stop();
      await Promise.all([deps.reader?.close(), policies.close()]);
    },
  };
}

function workersOf(deps: Deps, { IDP_RECONCILE_EVERY_MS: reconcileEveryMs }: TenancyConfig): Worker[] {
  return [
    createResealer(deps),
    createAccountNaming(deps),
    createKeptAdminRelease(deps),
    createLoginHousekeeping(deps),
    createDomainRechecks(deps),
    createMailboxReview(deps),
    ...createMailWorkers(deps, invitationMails),
    ...createMailWorkers(deps, releaseMails),
    ...(deps.idp.isConfigured ? [createReconciler(deps, reconcileEveryMs)] : []),
  ];
}

/** Rarely used, so it has at most two connections, opened on demand. */
function createReader({ DATABASE_READER_URL: url }: TenancyConfig, log: Log): Database | null {
  if (url === undefined) return null;
  return createDatabase({
    url,
    applicationName: 'botyard-reader',
    maxConnections: 2,
    acquireTimeoutMs: 5000,
    isUndivided: true,
    log,
  });
}
