import { createIdentityVerifier } from '@botyard/shared/auth/identity';
import { listen } from '@botyard/shared/bus/signals';
import { createDatabase } from '@botyard/shared/db/database';
import { typing as typingSignal } from '@botyard/shared/events/agents';
import { createDomainApp, createFoundation } from '@botyard/shared/service/foundation';
import type { App, Surroundings } from '@botyard/shared/service/run-service';
import { createMessengerClient } from './clients/messenger.ts';
import type { WebhooksConfig } from './config.ts';
import { answerRequests, subscriptions } from './consumers.ts';
import type { Deps } from './deps.ts';
import { createAdmission } from './domain/admission/admission.ts';
import { Overhearing } from './domain/admission/overhearing.ts';
import { createWebhookHealth } from './domain/admission/webhook-health.ts';
import { createCallbackAnswers } from './domain/chats/callback-answers.ts';
import { createChecker } from './domain/endpoints/checker.ts';
import { createEndpoints } from './domain/endpoints/endpoints.ts';
import { createRegistrar } from './domain/endpoints/registrar.ts';
import { createResealer } from './domain/endpoints/resealer.ts';
import { createHousekeeping, createOverdueReplies } from './domain/housekeeping.ts';
import { createDeliveryVerifier } from './domain/idp/verify-delivery.ts';
import { createSender } from './domain/sender.ts';
import { createTenantPurge } from './domain/tenant-purge.ts';
import { Typing } from './domain/typing.ts';
import { mountIdpWebhook } from './routes/idp-webhook.ts';
import { mountWebhooks } from './routes/messenger-webhook.ts';
import { mountWebhookHealth } from './routes/webhook-health.ts';

export async function createApp(config: WebhooksConfig, surroundings: Surroundings): Promise<App> {
  const deps = createDeps(config, surroundings);
  const typing = new Typing(deps);
  const sender = createSender(deps, typing);
  const registrar = createRegistrar(deps);
  const callbackAnswers = createCallbackAnswers(deps);
  const checker = createChecker(deps);
  const health = createWebhookHealth(deps);
  const tenantPurge = createTenantPurge(deps);
  deps.tenantPurge = tenantPurge;
  deps.wakeSender = () => sender.wake();
  deps.wakeRegistrar = () => registrar.wake();
  deps.wakeCallbacks = () => callbackAnswers.wake();
  deps.wakeChecker = () => checker.wake();
  const verifyIdentity = await createIdentityVerifier(config.IDENTITY_VERIFY_KEY, 'webhooks');
  const app = await createDomainApp({
    config,
    deps,
    routes: [],
    subscriptions,
    onBus: ({ bus, endpoints }) => {
      answerRequests(deps);
      endpoints.follow(bus);
      listen(bus, typingSignal, ({ botId, chat }) => typing.show(botId, chat));
    },
    workers: [
      sender,
      registrar,
      callbackAnswers,
      checker,
      health.rate,
      createHousekeeping(deps),
      createOverdueReplies(deps),
      tenantPurge,
      createResealer(deps),
    ],
    mountMore: (internal) => {
      mountWebhooks(internal, deps, {
        verifyIdentity,
        ratePerMinute: config.WEBHOOK_RATE_LIMIT_PER_MINUTE,
        isLimited: config.NODE_ENV !== 'test',
      });
      mountIdpWebhook(internal, deps);
      mountWebhookHealth(internal, health);
    },
  });
  return {
    ...app,
    stop: async () => {
      await deps.admission.stop();
      await app.stop();
      await deps.admissionDatabase.close();
    },
  };
}

function createDeps(config: WebhooksConfig, surroundings: Surroundings): Deps {
  const foundation = createFoundation('webhooks', config, surroundings);
  const { bus, database, outbox, log, metrics } = foundation;
  const keyring = config.SECRETS_KEYS;
  const admissionDatabase = createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'botyard-webhooks-admission',
    maxConnections: config.ADMISSION_MAX_CONNECTIONS,
    acquireTimeoutMs: config.DATABASE_ACQUIRE_TIMEOUT_MS,
    statementTimeoutMs: 1000,
    lockTimeoutMs: 500,
    log,
  });
  const deps: Deps = {
    ...foundation,
    keyring,
    messenger: createMessengerClient(config.MESSENGER_API_URL),
    admissionDatabase,
    admission: createAdmission({ database: admissionDatabase, outbox }),
    endpoints: createEndpoints({ bus, database, keyring, onFound: () => deps.wakeRegistrar() }),
    overhearing: new Overhearing(),
    deliveriesCounted: metrics.counter('webhook_deliveries_total', 'Deliveries by what became of them', [
      'verdict',
      'reason',
    ]),
    verifyIdpDelivery: config.IDP_WEBHOOK_SECRET ? createDeliveryVerifier(config.IDP_WEBHOOK_SECRET) : null,
    webhookBaseUrl: config.WEBHOOK_BASE_URL,
    webhookCheckEveryMs: config.WEBHOOK_CHECK_EVERY_MS,
    tenantPurge: { wake: () => undefined },
    wakeSender: () => undefined,
    wakeRegistrar: () => undefined,
    wakeCallbacks: () => undefined,
    wakeChecker: () => undefined,
    isProduction: config.NODE_ENV === 'production',
  };
  return deps;
}
