import { serviceNames } from '@botyard/shared/system/subjects';
import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { contentText, type FakeModel, startFakeModel } from '@botyard/testing/fake-model';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { createDemoTenant, type DemoTenant, webhookSecretToken } from '../../e2e/demo-tenant.ts';
import { FaultProxy } from './links/fault-proxy.ts';
import type { Links } from './links/links.ts';
import { type DeliveryResult, LoadGenerator, type LoadProfile, unanswered } from './load-generator.ts';
import { NatsCluster } from './nats-cluster.ts';
import type { Network } from './network/network.ts';
import { Pairs } from './pairs.ts';
import { seeded } from './random.ts';

export interface RedundantSystemOptions {
  /** Another Postgres than the one that all files share. */
  postgresUrl?: string;
  /** Put a proxy between every two that talk. */
  links?: Links;
  /**
   * Give every process a namespace in it. Then tenants are made by way of a proxy on loopback: development mode asks for
   * that.
   */
  network?: Network;
  onLine?: (process: string, line: string) => void;
  /** Settings of every service. */
  env?: Readonly<Record<string, string>>;
}

/** The platform's timeout for an answer. */
const platformPatienceMs = 60_000;

/** An installation as large as one that may lose any of its processes: two of every service, three nats-servers. */
export class RedundantSystem {
  readonly harness: ServiceHarness;
  readonly messenger: FakeMessenger;
  readonly model: FakeModel;
  readonly cluster: NatsCluster;
  readonly pairs: Pairs;
  readonly #devModeProxy: FaultProxy | undefined;
  #deliveryUrl: string | undefined;

  private constructor(parts: {
    harness: ServiceHarness;
    messenger: FakeMessenger;
    model: FakeModel;
    cluster: NatsCluster;
    pairs: Pairs;
    devModeProxy: FaultProxy | undefined;
  }) {
    this.harness = parts.harness;
    this.messenger = parts.messenger;
    this.model = parts.model;
    this.cluster = parts.cluster;
    this.pairs = parts.pairs;
    this.#devModeProxy = parts.devModeProxy;
  }

  static async open(options: RedundantSystemOptions = {}): Promise<RedundantSystem> {
    const { postgresUrl, links, network, onLine, env } = options;
    const hostOf = async (name: string) => (network ? { host: await network.joinHere(name) } : {});
    const [harness, messenger, model] = await Promise.all([
      ServiceHarness.open(postgresUrl ? { postgresUrl } : {}),
      startFakeMessenger({ limitsWebhookRate: false, ...(await hostOf('messenger')) }),
      startFakeModel({
        reply: ({ messages }) => `re: ${contentText(messages.at(-1)!)}`,
        ...(await hostOf('model')),
      }),
    ]);
    const placeOf = network && ((name: string) => network.join(name));
    const cluster = await NatsCluster.start(harness.namespace, placeOf);
    const pairs = await Pairs.start({
      harness,
      services: serviceNames,
      envOf: (service) => ({
        ...cluster.envOf(service),
        MESSENGER_API_URL: messenger.url,
        IDP_API_URL: 'http://idp.invalid/v1',
        PRIVATE_LLM_BASE_URL: model.url,
        WEBHOOK_BASE_URL: 'https://hooks.example.com',
        ...(network ? { AUTH_DEV_MODE_PEERS: `${network.subnet}.0/24` } : {}),
        ...env,
      }),
      ...(placeOf ? { placeOf } : {}),
      ...(onLine ? { onLine } : {}),
      ...(links ? { wire: (name, settings) => links.wire(name, settings) } : {}),
    });
    const [gatewayUrl = ''] = pairs.publicUrls;
    const devModeProxy = network && (await FaultProxy.before(gatewayUrl, seeded(1)));
    return new RedundantSystem({ harness, messenger, model, cluster, pairs, devModeProxy });
  }

  /** A tenant with a bot that is connected to the messenger. */
  createTenant(): Promise<DemoTenant> {
    return createDemoTenant({
      messenger: this.messenger,
      gatewayUrl: '',
      api: async (method, path, { body, status = method === 'POST' ? 201 : 200 } = {}) => {
        const headers = { 'content-type': 'application/json' };
        const content = body === undefined ? {} : { body: JSON.stringify(body), headers };
        const init = { method, ...content };
        const response = this.#devModeProxy
          ? await fetch(`http://127.0.0.1:${this.#devModeProxy.port}${path}`, init)
          : await this.pairs.call(path, init);
        const text = await response.text();
        if (response.status !== status)
          throw new Error(`${method} ${path} answered ${response.status} ${text}`);
        return JSON.parse(text);
      },
    });
  }

  /** Messages of chats to the bots of these tenants, each chat to one. */
  createLoad(tenants: readonly DemoTenant[], profile: LoadProfile): LoadGenerator {
    const deliver = (chat: number, update: object) => this.deliver(tenants[chat % tenants.length]!, update);
    return new LoadGenerator({ ...profile, messenger: this.messenger, deliver });
  }

  /** From now on updates are posted to this balancer. */
  deliverBy(url: string): void {
    this.#deliveryUrl = url;
  }

  /** Posts an update as the messenger does, to either gateway, or to the balancer before them. */
  async deliver({ botId }: DemoTenant, update: object): Promise<DeliveryResult> {
    const headers = {
      'content-type': 'application/json',
      'x-telegram-bot-api-secret-token': webhookSecretToken,
    };
    const signal = AbortSignal.timeout(platformPatienceMs);
    const init = { method: 'POST', headers, body: JSON.stringify(update), signal };
    try {
      const path = `/webhooks/messenger/${botId}`;
      const response = await (this.#deliveryUrl
        ? fetch(`${this.#deliveryUrl}${path}`, init)
        : this.pairs.call(path, init));
      await response.arrayBuffer();
      return { status: response.status, retryAfter: response.headers.get('retry-after') };
    } catch {
      return unanswered;
    }
  }

  async close(): Promise<void> {
    this.model.release();
    this.#devModeProxy?.close();
    await this.pairs.stop();
    await this.harness.close();
    await Promise.all([this.cluster.stop(), this.messenger.close(), this.model.close()]);
  }
}
