import { randomInt } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { contentText, type FakeModel, startFakeModel } from '@botyard/testing/fake-model';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { type Servers, ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import type { ServiceProcess } from '@botyard/testing/service-process';
import { anonymous } from '@botyard/testing/test-call';
import { createApp as createKeys } from '../../../services/keys/src/app.ts';
import { keysConfig } from '../../../services/keys/src/config.ts';
import { createApp as createTenancy } from '../../../services/tenancy/src/app.ts';
import { tenancyConfig } from '../../../services/tenancy/src/config.ts';
import { createApp as createUsage } from '../../../services/usage/src/app.ts';
import { usageConfig } from '../../../services/usage/src/config.ts';
import { History, numbered, recordsOf, type Verdict } from './history.ts';
import {
  type DeliveryResult,
  LoadGenerator,
  type LoadProfile,
  unanswered,
  updateOf,
} from './load-generator.ts';

export type Process = TestService & ServiceProcess;
type Env = Readonly<Record<string, string>>;

export interface ConnectedBot {
  tenantId: string;
  botId: string;
  agentId: string;
  botToken: string;
}

/**
 * The whole path of a message through real processes of webhooks and agents, as many as a test starts, with the fake
 * platforms. `history` holds the answers that both report.
 */
export class TestSystem {
  readonly harness: ServiceHarness;
  readonly messenger: FakeMessenger;
  readonly model: FakeModel;
  readonly history = new History();
  readonly #tenancy: TestService;
  readonly #secret = 'faults_Secret-Token_0123456789';
  people!: People;

  private constructor(parts: {
    harness: ServiceHarness;
    messenger: FakeMessenger;
    model: FakeModel;
    tenancy: TestService;
  }) {
    this.harness = parts.harness;
    this.messenger = parts.messenger;
    this.model = parts.model;
    this.#tenancy = parts.tenancy;
    this.messenger.subscribe((event) => {
      if (event.type === 'message' && event.entry.direction === 'out') this.history.answer(event.entry.text);
    });
  }

  /** With servers of its own where a case breaks them; `prepare` comes before the first service. */
  static async open(
    servers: Servers = {},
    {
      prepare,
      keysEnv,
    }: { prepare?: (harness: ServiceHarness) => Promise<void>; keysEnv?: (model: FakeModel) => Env } = {},
  ): Promise<TestSystem> {
    const [harness, messenger, model] = await Promise.all([
      ServiceHarness.open(servers),
      startFakeMessenger({ limitsWebhookRate: false }),
      startFakeModel({ reply: ({ messages }) => `re: ${contentText(messages.at(-1)!)}` }),
    ]);
    await prepare?.(harness);
    const [tenancy] = await Promise.all([
      harness.start({
        service: 'tenancy',
        schema: tenancyConfig,
        createApp: createTenancy,
        env: { MESSENGER_API_URL: messenger.url, IDP_API_URL: 'http://idp.invalid/v1' },
      }),
      harness.start({
        service: 'keys',
        schema: keysConfig,
        createApp: createKeys,
        env: { PRIVATE_LLM_BASE_URL: model.url, ...keysEnv?.(model) },
      }),
      harness.start({ service: 'usage', schema: usageConfig, createApp: createUsage }),
    ]);
    const system = new TestSystem({ harness, messenger, model, tenancy });
    system.people = await createTenantWithPeople(harness, tenancy);
    return system;
  }

  startAgents(env: Env = {}): Promise<Process> {
    return this.harness.startProcess('agents', {
      PRIVATE_LLM_BASE_URL: this.model.url,
      AGENTS_RETRY_BASE_MS: '10',
      ...env,
    });
  }

  startWebhooks(env: Env = {}): Promise<Process> {
    return this.harness.startProcess('webhooks', {
      MESSENGER_API_URL: this.messenger.url,
      WEBHOOK_BASE_URL: 'https://hooks.example.com',
      ...env,
    });
  }

  /** One more tenant. */
  createPeople(): Promise<People> {
    return createTenantWithPeople(this.harness, this.#tenancy);
  }

  /** A bot with an agent of its own, connected to the messenger; its messages aren't joined. */
  async createBot(
    agents: Process,
    { people = this.people, agent = {} }: { people?: People; agent?: Record<string, unknown> } = {},
  ): Promise<ConnectedBot> {
    const { tenantId, admin: as } = people;
    const callOk = async (service: TestService, path: string, body: unknown) => {
      const answer = await service.call('POST', path, { as, body });
      if (answer.status !== 201) throw new Error(`${path} answered ${answer.status} ${answer.text}`);
      return answer.body;
    };
    const { id: agentId } = await callOk(agents, '/api/definitions/agents', {
      name: 'Agent',
      instructions: 'Help.',
      provider: 'private-llm',
      model: 'default',
      ...agent,
    });
    const bots = `/api/bots/${tenantId}/bots`;
    const { botId } = await callOk(this.#tenancy, bots, {
      name: 'Bot',
      agentIds: [agentId],
      joinWindowMs: 0,
      // On a slow machine a notice would look like an unexpected answer.
      delayNoticeSeconds: 0,
    });
    const botToken = `${randomInt(1e8, 1e9)}:${'a'.repeat(35)}`;
    this.messenger.addBot({ token: botToken });
    const integrations = `/api/bots/${tenantId}/${botId}/integrations`;
    const { integrationId } = await callOk(this.#tenancy, integrations, {
      integrationType: 'messenger',
      credentials: { botToken, botName: 'faults_bot' },
      settings: { messenger: { webhookSecretToken: this.#secret } },
    });
    await eventually('the webhook is registered', async () => {
      const { body } = await this.#tenancy.call('GET', `${integrations}/${integrationId}`, { as });
      return body.registration.state === 'registered';
    });
    return { tenantId, botId, agentId, botToken };
  }

  /** Posts a message as the messenger does, and again until it is accepted: a process may die meanwhile. */
  async say(
    webhooks: Pick<Process, 'call'>,
    bot: ConnectedBot,
    { chat, number }: { chat: number; number: number },
  ): Promise<void> {
    const text = numbered(String(chat), number);
    const update = updateOf(chat, chat * 100_000 + number, text);
    const isAccepted = () => this.post(webhooks, bot, update).then(...onceAccepted);
    await eventually(`${text} is accepted`, isAccepted);
    this.history.accept(String(chat), number);
  }

  /** Messages of chats to these bots, each chat to one, by way of the process of webhooks that `next` names. */
  createLoad(
    bots: readonly ConnectedBot[],
    next: () => Pick<Process, 'call'> | undefined,
    profile: LoadProfile,
  ): LoadGenerator {
    const deliver = async (chat: number, update: object) => {
      const webhooks = next();
      return webhooks ? await this.deliver(webhooks, bots[chat % bots.length]!, update) : unanswered;
    };
    return new LoadGenerator({ ...profile, messenger: this.messenger, deliver });
  }

  async post(webhooks: Pick<Process, 'call'>, bot: ConnectedBot, update: object): Promise<number> {
    return (await this.#post(webhooks, bot, update)).status;
  }

  /** Like `post`, for callers that continue after any outcome. */
  async deliver(webhooks: Pick<Process, 'call'>, bot: ConnectedBot, update: object): Promise<DeliveryResult> {
    try {
      const { status, headers } = await this.#post(webhooks, bot, update);
      return { status, retryAfter: headers.get('retry-after') };
    } catch {
      return unanswered;
    }
  }

  #post({ call }: Pick<Process, 'call'>, { botId }: ConnectedBot, update: object) {
    const headers = { 'x-telegram-bot-api-secret-token': this.#secret };
    return call('POST', `/webhooks/messenger/${botId}`, { as: anonymous, body: update, headers });
  }

  /** Resolves when every accepted message is answered. */
  answered(options: { timeoutMs?: number } = {}): Promise<void> {
    return this.history.completed(options);
  }

  /** The outcome of everything so far, judged by what the product itself has marked as uncertain. */
  async verdict(history = this.history): Promise<Verdict> {
    return history.verdict({ uncertain: (await recordsOf(this.harness)).uncertain });
  }

  async close(): Promise<void> {
    this.model.release();
    await this.harness.close();
    await Promise.all([this.messenger.close(), this.model.close()]);
  }
}

const onceAccepted = [(status: number) => status === 200, () => false] as const;
