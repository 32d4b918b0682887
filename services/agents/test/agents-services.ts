import { randomUUID } from 'node:crypto';
import type { DataOf } from '@botyard/contracts/events/definition';
import { type InboundMessage, messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import {
  contentText,
  type FakeModel,
  type FakeModelOptions,
  type ModelRequest,
  startFakeModel,
} from '@botyard/testing/fake-model';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { createApp as createKeysApp } from '../../keys/src/app.ts';
import { keysConfig } from '../../keys/src/config.ts';
import { createApp as createTenancyApp } from '../../tenancy/src/app.ts';
import { tenancyConfig } from '../../tenancy/src/config.ts';
import { createApp as createUsageApp } from '../../usage/src/app.ts';
import { usageConfig } from '../../usage/src/config.ts';
import { createApp } from '../src/app.ts';
import { agentsConfig } from '../src/config.ts';

export interface AgentsServices {
  harness: ServiceHarness;
  model: FakeModel;
  tenancy: TestService;
  keys: TestService;
  usage: TestService;
  agents: TestService;
  acme: People;
  /** Another tenant, with people of its own. */
  other: People;
  close(): Promise<void>;
}

/**
 * Everything that an answer needs, with a fake model only. The model serves as the private LLM and as both public
 * providers.
 */
export async function openAgentsServices(
  env: Record<string, string> = {},
  modelOptions: FakeModelOptions = {},
): Promise<AgentsServices> {
  const [harness, model] = await Promise.all([ServiceHarness.open(), startFakeModel(modelOptions)]);
  model.replyWith((request) => `re: ${question(request)}`);
  const [tenancy, keys, usage, agents] = await Promise.all([
    startTenancy({ harness }),
    startKeys({ harness, model }),
    startUsage({ harness }),
    startAgents({ harness, model }, env),
  ]);
  const [acme, other] = await Promise.all([
    createTenantWithPeople(harness, tenancy),
    createTenantWithPeople(harness, tenancy),
  ]);
  const close = async () => {
    model.release();
    await harness.close();
    await model.close();
  };
  return { harness, model, tenancy, keys, usage, agents, acme, other, close };
}

const addresses = (model: FakeModel) => ({
  PRIVATE_LLM_BASE_URL: model.url,
  OPENAI_BASE_URL: model.url,
  ANTHROPIC_BASE_URL: model.url.replace(/\/v1$/, ''),
});

export const startTenancy = ({ harness }: Pick<AgentsServices, 'harness'>): Promise<TestService> =>
  harness.start({
    service: 'tenancy',
    schema: tenancyConfig,
    createApp: createTenancyApp,
    env: { MESSENGER_API_URL: 'http://messenger.invalid', IDP_API_URL: 'http://idp.invalid/v1' },
  });

export function startKeys(
  { harness, model }: Pick<AgentsServices, 'harness' | 'model'>,
  env: Record<string, string> = {},
): Promise<TestService> {
  return harness.start({
    service: 'keys',
    schema: keysConfig,
    createApp: createKeysApp,
    env: { ...addresses(model), ...env },
  });
}

export const startUsage = ({ harness }: Pick<AgentsServices, 'harness'>): Promise<TestService> =>
  harness.start({ service: 'usage', schema: usageConfig, createApp: createUsageApp });

/** Starts another instance; a failed attempt is repeated almost immediately. */
export function startAgents(
  { harness, model }: Pick<AgentsServices, 'harness' | 'model'>,
  env: Record<string, string> = {},
): Promise<TestService> {
  return harness.start({
    service: 'agents',
    schema: agentsConfig,
    createApp,
    env: { ...addresses(model), AGENTS_RETRY_BASE_MS: '10', ...env },
  });
}

/** The last question to the model. */
export const question = (request: ModelRequest): string => contentText(request.messages.at(-1)!);

export async function createAgent(
  { agents }: Pick<AgentsServices, 'agents'>,
  people: People,
  body: Record<string, unknown> = {},
): Promise<string> {
  const agentBody = {
    name: 'Agent',
    instructions: 'Help.',
    provider: 'private-llm',
    model: 'default',
    ...body,
  };
  const answer = await agents.call('POST', '/api/definitions/agents', { as: people.admin, body: agentBody });
  if (answer.status !== 201) throw new Error(`no agent was created: ${answer.status} ${answer.text}`);
  return answer.body.id;
}

export interface TestBot {
  tenantId: string;
  botId: string;
  agentIds: string[];
}

/** A bot with one agent, or those given; its messages aren't joined unless the body says so. */
export async function createBot(
  services: AgentsServices,
  people: People,
  body: { agentIds?: string[]; [field: string]: unknown } = {},
): Promise<TestBot> {
  const agentIds = body.agentIds ?? [await createAgent(services, people)];
  const answer = await services.tenancy.call('POST', `/api/bots/${people.tenantId}/bots`, {
    as: people.admin,
    body: { name: 'Support', joinWindowMs: 0, ...body, agentIds },
  });
  if (answer.status !== 201) throw new Error(`no bot was created: ${answer.status} ${answer.text}`);
  return { tenantId: people.tenantId, botId: answer.body.botId, agentIds };
}

export interface Reply {
  message_id: string;
  seq: number;
  text: string;
  status: string;
}

/** A person's chat with a bot: their messages are published like by the webhooks service. */
export class Chat {
  readonly conversationId = randomUUID();
  readonly #integrationId = randomUUID();
  readonly #harness: ServiceHarness;
  readonly #bot: TestBot;
  #seq = 0;

  constructor({ harness }: Pick<AgentsServices, 'harness'>, bot: TestBot) {
    this.#harness = harness;
    this.#bot = bot;
  }

  /** A message in the next place of the conversation, or in the one given. */
  message(text: string, change: Partial<InboundMessage> = {}): DataOf<typeof messageReceived> {
    this.#seq += 1;
    const now = new Date().toISOString();
    return {
      ...firstSample(messageReceived),
      tenantId: this.#bot.tenantId,
      botId: this.#bot.botId,
      integrationId: this.#integrationId,
      deliveryId: uuidv7(),
      conversationId: this.conversationId,
      seq: this.#seq,
      text,
      sentAt: now,
      receivedAt: now,
      ...change,
    };
  }

  say(text: string, change: Partial<InboundMessage> = {}): Promise<string> {
    return this.#harness.publish(messageReceived, this.message(text, change));
  }

  async replies(): Promise<Reply[]> {
    const rows = await this.#harness.asOwner<Reply>(
      `select message_id, seq::int, text, status from agents.messages
       where conversation_id = $1 and direction = 'out' order by seq`,
      [this.conversationId],
    );
    return rows;
  }

  /** The texts of the replies, once there are so many. */
  async answers(count: number, options: { timeoutMs?: number } = {}): Promise<string[]> {
    const rows = await eventually(
      `${count} replies`,
      async () => {
        const sentReplies = await this.replies();
        return sentReplies.length >= count && sentReplies;
      },
      options,
    );
    return rows.map(({ text }) => text);
  }

  /** Resolves when nothing waits in the conversation, and nobody holds it. */
  async isIdle(options: { timeoutMs?: number } = {}): Promise<void> {
    await eventually(
      'the conversation is idle',
      async () => {
        const [row] = await this.#harness.asOwner<{ idle: boolean }>(
          `select ready_at is null and lease_until is null as idle from agents.conversations where conversation_id = $1`,
          [this.conversationId],
        );
        return row?.idle === true;
      },
      options,
    );
  }

  /** Texts and states of the person's messages, in order. */
  async written(): Promise<
    { text: string; status: string; last_error: string | null; refusal: string | null }[]
  > {
    return await this.#harness.asOwner(
      `select text, status, last_error, refusal from agents.messages
       where conversation_id = $1 and direction = 'in' order by seq`,
      [this.conversationId],
    );
  }
}
