import { typing as typingSignal } from '@botyard/contracts/events/agents';
import { staffPresence } from '@botyard/contracts/events/chat-hints';
import { createIdentityVerifier } from '@botyard/shared/auth/identity';
import { listen } from '@botyard/shared/bus/signals';
import { createDomainApp, createFoundation } from '@botyard/shared/service/foundation';
import type { App, RuntimeContext } from '@botyard/shared/service/run-service';
import { countDeliveries, createAdmission } from './admission/domain/admission.ts';
import { admissionBudgetMs, createAdmissionDatabase } from './admission/domain/admission-database.ts';
import { AmbientMessages } from './admission/domain/ambient-messages.ts';
import { receiveRead } from './admission/domain/receive-body.ts';
import { mountWebhooks } from './admission/routes/platform-webhooks.ts';
import { createTimeBudget } from './admission/routes/time-budget.ts';
import { mountWebhookHealth } from './admission/routes/webhook-health.ts';
import { Typing } from './chats/domain/typing.ts';
import type { WebhooksConfig } from './config.ts';
import { answerRequests, subscriptions } from './consumers.ts';
import { Heartbeat } from './delivery/domain/heartbeat.ts';
import { createJournal, createSending } from './delivery/domain/sending.ts';
import type { Deps } from './deps.ts';
import { createEndpoints } from './endpoints/domain/endpoints.ts';
import { createFileDeps } from './files/domain/files.ts';
import { createDeliveryVerifier } from './identity/domain/verify-delivery.ts';
import { mountIdpWebhook } from './identity/routes/idp-webhook.ts';
import { mountInstallations } from './installations/routes/installation-callback.ts';
import type { AdapterContext } from './platforms/adapter.ts';
import type { Platforms } from './platforms/platform.ts';
import { type AdapterSettings, createPlatforms } from './platforms/registry.ts';
import { TextWorker } from './text-threads/domain/text-worker.ts';
import { createWakeups, createWorkers, type Wakeups } from './workers.ts';

/** The platforms are those of the registry, except in tests. */
export async function createApp(
  config: WebhooksConfig,
  runtime: RuntimeContext,
  platformsOf: (context: AdapterContext, settings: AdapterSettings) => Platforms = createPlatforms,
): Promise<App> {
  const wakeups = createWakeups();
  const deps = createDeps(config, runtime, { wakeups, platformsOf });
  const platforms = Object.values(deps.platforms);
  const { workers, health, polling, drain } = createWorkers(deps, wakeups);
  const verifyIdentity = await createIdentityVerifier(config.IDENTITY_VERIFY_KEY, 'webhooks', deps.log);
  const app = await createDomainApp({
    config,
    deps,
    routes: platforms.flatMap((platform) => platform.routes ?? []),
    subscriptions,
    onBus: () => {
      const { bus, endpoints, typing } = deps;
      answerRequests(deps);
      endpoints.follow(bus);
      for (const platform of platforms) platform.follow?.(bus);
      listen(bus, typingSignal, (place) => typing.show(place));
      listen(bus, staffPresence, (presence) => typing.showStaff(presence));
    },
    workers,
    checkPeers: async () => {
      await Promise.all(platforms.map((platform) => platform.checkPeer?.()));
    },
    mountMore: (internal) => {
      const budget = createTimeBudget(admissionBudgetMs(config), deps.log);
      mountWebhooks(internal, deps, {
        verifyIdentity,
        ratePerMinute: config.WEBHOOK_RATE_LIMIT_PER_MINUTE,
        isLimited: config.NODE_ENV !== 'test',
        trustedProxies: config.TRUSTED_PROXIES,
        budget,
      });
      mountInstallations(internal, deps, budget);
      mountIdpWebhook(internal, deps, { budget });
      mountWebhookHealth(internal, health);
    },
  });
  return {
    ...app,
    drain,
    stop: async () => {
      await polling?.stop();
      await deps.admission.stop();
      await app.stop();
      await deps.admissionDatabase.close();
    },
  };
}

interface Parts {
  wakeups: Wakeups;
  platformsOf: (context: AdapterContext, settings: AdapterSettings) => Platforms;
}

function createDeps(config: WebhooksConfig, runtime: RuntimeContext, { wakeups, platformsOf }: Parts): Deps {
  const foundation = createFoundation('webhooks', config, runtime);
  const { bus, database, outbox, log, metrics } = foundation;
  const admissionDatabase = createAdmissionDatabase(config, database, log);
  const texts = new TextWorker(log);
  const { sends, registrations, media, checks, purges } = wakeups;
  const source = { bus, database, keyring: config.SECRETS_KEYS, onFound: registrations.wake };
  const base = {
    ...foundation,
    keyring: config.SECRETS_KEYS,
    admissionDatabase,
    admission: createAdmission({ database: admissionDatabase, outbox, metrics }),
    endpoints: createEndpoints(source),
    texts,
    ...createFileDeps(config, { bus, texts, log }),
    heartbeat: new Heartbeat({ url: config.DATABASE_URL, log }),
    ambientMessages: new AmbientMessages(),
    deliveriesCounted: countDeliveries(metrics),
    verifyIdpDelivery: config.IDP_WEBHOOK_SECRET ? createDeliveryVerifier(config.IDP_WEBHOOK_SECRET) : null,
    webhookBaseUrl: config.WEBHOOK_BASE_URL,
    publicBaseUrl: config.PUBLIC_BASE_URL ?? config.WEBHOOK_BASE_URL,
    webhookCheckEveryMs: config.WEBHOOK_CHECK_EVERY_MS,
    tenantPurge: purges,
    sends,
    wakeSender: sends.wake,
    wakeRegistrar: registrations.wake,
    wakeMedia: media.wake,
    wakeChecker: checks.wake,
    environment: config.NODE_ENV,
    isProduction: config.NODE_ENV === 'production',
  };
  const receive: AdapterContext['receive'] = async (endpoint, deliveries) =>
    await receiveRead({ ...base, platforms }, platforms[endpoint.platform], endpoint, deliveries);
  const chatMails: AdapterContext['chatMails'] = () =>
    Object.values(platforms).find((platform) => platform.chatMails)?.chatMails;
  const showWritten: AdapterContext['showWritten'] = async (tx, written) =>
    await platforms[written.platform].showWritten?.(tx, written);
  const context = { ...base, receive, chatMails, showWritten };
  const platforms: Platforms = platformsOf(context, config);
  const journal = createJournal({ database, outbox, platforms, log, wakeSender: sends.wake }, config);
  const typing = new Typing({ ...base, platforms });
  const sending = createSending({ ...base, platforms, journal }, typing);
  return { ...base, platforms, journal, typing, sending };
}
