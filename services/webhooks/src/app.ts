import { createIdentityVerifier } from '@botyard/shared/auth/identity';
import { listen } from '@botyard/shared/bus/signals';
import { typing as typingSignal } from '@botyard/shared/events/agents';
import { createDomainApp, createFoundation } from '@botyard/shared/service/foundation';
import type { App, Surroundings } from '@botyard/shared/service/run-service';
import { createMailerClient } from './clients/mailer.ts';
import { createMessengerClient } from './clients/messenger.ts';
import type { WebhooksConfig } from './config.ts';
import { answerRequests, subscriptions } from './consumers.ts';
import type { Deps } from './deps.ts';
import { createAdmission } from './domain/admission/admission.ts';
import { admissionBudgetMs, createAdmissionDatabase } from './domain/admission/admission-database.ts';
import { Overhearing } from './domain/admission/overhearing.ts';
import { createFileDeps } from './domain/email/inbound/files/files.ts';
import { createEndpoints } from './domain/endpoints/endpoints.ts';
import { createMailboxes } from './domain/endpoints/mailboxes.ts';
import { createDeliveryVerifier } from './domain/idp/verify-delivery.ts';
import { Heartbeat } from './domain/sending/heartbeat.ts';
import { outcomeFolder } from './domain/sending/sending.ts';
import { TextWorker } from './domain/texts/text-worker.ts';
import { createWorkers } from './domain/workers.ts';
import { mountEmailWebhook } from './routes/email/email-webhook.ts';
import { mountSenderPage } from './routes/email/sender-page.ts';
import { mountIdpWebhook } from './routes/idp-webhook.ts';
import { mountWebhooks } from './routes/messenger-webhook.ts';
import { createTimeBudget } from './routes/time-budget.ts';
import { mountWebhookHealth } from './routes/webhook-health.ts';
import { routes } from './routes.ts';

export async function createApp(config: WebhooksConfig, surroundings: Surroundings): Promise<App> {
  const deps = createDeps(config, surroundings);
  const { workers, typing, health, drain } = createWorkers(deps);
  const verifyIdentity = await createIdentityVerifier(config.IDENTITY_VERIFY_KEY, 'webhooks', deps.log);
  const app = await createDomainApp({
    config,
    deps,
    routes,
    subscriptions,
    onBus: ({ bus, endpoints, mailboxes }) => {
      answerRequests(deps);
      endpoints.follow(bus);
      mailboxes.follow(bus);
      listen(bus, typingSignal, ({ botId, chat }) => typing.show(botId, chat));
    },
    workers,
    mountMore: (internal) => {
      const budget = createTimeBudget(admissionBudgetMs(config), deps.log);
      mountWebhooks(internal, deps, {
        verifyIdentity,
        ratePerMinute: config.WEBHOOK_RATE_LIMIT_PER_MINUTE,
        isLimited: config.NODE_ENV !== 'test',
        trustedProxies: config.TRUSTED_PROXIES,
        budget,
      });
      mountIdpWebhook(internal, deps, { budget });
      mountEmailWebhook(internal, deps);
      mountSenderPage(internal);
      mountWebhookHealth(internal, health);
    },
  });
  return {
    ...app,
    drain: async () => drain(),
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
  const admissionDatabase = createAdmissionDatabase(config, log);
  const texts = new TextWorker(log);
  const source = { bus, database, keyring, onFound: () => deps.wakeRegistrar() };
  const deps: Deps = {
    ...foundation,
    keyring,
    messenger: createMessengerClient(config.MESSENGER_API_URL, surroundings.log),
    mailer: createMailerClient(config.MAILER_API_URL, surroundings.log),
    mailerAccount: {
      apiKey: config.MAILER_API_KEY,
      domain: config.MAILER_DOMAIN,
      perDay: config.MAILER_MESSAGES_PER_DAY,
      perDayOfBot: config.MAILER_MESSAGES_PER_DAY_OF_BOT ?? config.MAILER_MESSAGES_PER_DAY,
    },
    admissionDatabase,
    mailStorageBytes: config.TENANT_MAIL_BYTES,
    mailRetentionDays: config.MAIL_RETENTION_DAYS,
    admission: createAdmission({ database: admissionDatabase, outbox, metrics }),
    endpoints: createEndpoints(source),
    mailboxes: createMailboxes(source),
    texts,
    ...createFileDeps(config, { bus, texts }),
    heartbeat: new Heartbeat({ url: config.DATABASE_URL, log }),
    outcomeFolder: outcomeFolder(config),
    overhearing: new Overhearing(),
    deliveriesCounted: metrics.counter('webhook_deliveries_total', 'Deliveries by what became of them', [
      'verdict',
      'reason',
    ]),
    verifyIdpDelivery: config.IDP_WEBHOOK_SECRET ? createDeliveryVerifier(config.IDP_WEBHOOK_SECRET) : null,
    webhookBaseUrl: config.WEBHOOK_BASE_URL,
    publicBaseUrl: config.PUBLIC_BASE_URL ?? config.WEBHOOK_BASE_URL,
    webhookCheckEveryMs: config.WEBHOOK_CHECK_EVERY_MS,
    tenantPurge: { wake: () => undefined },
    wakeSender: () => undefined,
    wakeMailSender: () => undefined,
    wakeRegistrar: () => undefined,
    wakeCallbacks: () => undefined,
    wakeChecker: () => undefined,
    isProduction: config.NODE_ENV === 'production',
  };
  return deps;
}
