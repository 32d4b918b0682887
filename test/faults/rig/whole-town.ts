import { serviceNames } from '@botyard/shared/system/subjects';
import { type FakeMessenger, startFakeMessenger } from '@botyard/shared/testing/fake-messenger';
import { contentText, type FakeModel, startFakeModel } from '@botyard/shared/testing/fake-model';
import { ServiceHarness } from '@botyard/shared/testing/service-harness';
import { createDemoTenant, type DemoTenant, webhookSecretToken } from '../../e2e/demo-tenant.ts';
import { NatsCluster } from './nats-cluster.ts';
import { Pairs } from './pairs.ts';

/** An installation as large as one that may lose any of its processes: two of every service, three nats-servers. */
export class WholeTown {
  readonly harness: ServiceHarness;
  readonly messenger: FakeMessenger;
  readonly model: FakeModel;
  readonly cluster: NatsCluster;
  readonly #pairs: Pairs;

  private constructor(parts: {
    harness: ServiceHarness;
    messenger: FakeMessenger;
    model: FakeModel;
    cluster: NatsCluster;
    pairs: Pairs;
  }) {
    this.harness = parts.harness;
    this.messenger = parts.messenger;
    this.model = parts.model;
    this.cluster = parts.cluster;
    this.#pairs = parts.pairs;
  }

  static async open(): Promise<WholeTown> {
    const [harness, messenger, model] = await Promise.all([
      ServiceHarness.open(),
      startFakeMessenger({ limitsWebhookRate: false }),
      startFakeModel({ reply: ({ messages }) => `re: ${contentText(messages.at(-1)!)}` }),
    ]);
    const cluster = await NatsCluster.start(harness.namespace);
    const pairs = await Pairs.start({
      harness,
      services: serviceNames,
      envOf: (service) => ({
        ...cluster.envOf(service),
        MESSENGER_API_URL: messenger.url,
        IDP_API_URL: 'http://idp.invalid/v1',
        PRIVATE_LLM_BASE_URL: model.url,
        WEBHOOK_BASE_URL: 'https://hooks.example.com',
      }),
    });
    return new WholeTown({ harness, messenger, model, cluster, pairs });
  }

  /** A tenant with a bot that is connected to the messenger. */
  createTenant(): Promise<DemoTenant> {
    return createDemoTenant({
      messenger: this.messenger,
      gatewayUrl: '',
      api: async (method, path, { body, status = method === 'POST' ? 201 : 200 } = {}) => {
        const headers = { 'content-type': 'application/json' };
        const content = body === undefined ? {} : { body: JSON.stringify(body), headers };
        const response = await this.#pairs.call(path, { method, ...content });
        const text = await response.text();
        if (response.status !== status)
          throw new Error(`${method} ${path} answered ${response.status} ${text}`);
        return JSON.parse(text);
      },
    });
  }

  /** Posts an update as the messenger does, to either gateway, and returns the status; 0 when nobody answers. */
  async deliver({ botId }: DemoTenant, update: object): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      'x-telegram-bot-api-secret-token': webhookSecretToken,
    };
    const init = { method: 'POST', headers, body: JSON.stringify(update) };
    try {
      const response = await this.#pairs.call(`/webhooks/messenger/${botId}`, init);
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }

  async close(): Promise<void> {
    this.model.release();
    await this.#pairs.stop();
    await this.harness.close();
    await Promise.all([this.cluster.stop(), this.messenger.close(), this.model.close()]);
  }
}
