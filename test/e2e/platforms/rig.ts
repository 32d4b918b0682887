import { type PlatformName, platformDefinitions } from '@botyard/contracts/http/platform';
import type { Capabilities } from '@botyard/contracts/platforms/definition';
import { eventually } from '@botyard/testing/eventually';
import { FakeTools } from '@botyard/testing/fake/fake-tools';
import { contentText } from '@botyard/testing/fake-model';
import type {
  Delivery,
  Group,
  Person,
  PlatformBot,
  PlatformDriver,
  Saying,
  Written,
} from '@botyard/testing/platforms/driver';
import { startDriver } from '@botyard/testing/platforms/drivers';
import { System } from '../system.ts';

export interface ChatMessage {
  messageId: string;
  direction: 'in' | 'out';
  text: string;
  status: string;
  failure?: string;
  isUncertain?: boolean;
  receipt?: { state: string; reason?: string };
  rating?: 'up' | 'down';
  editedAt?: string;
  refusal?: string;
  isAutomatic?: true;
  reason?: string;
  mail?: { documents: { name: string; isRead: boolean }[] };
  attachment?: { file?: { state: string; reason?: string } };
}

/** The whole system with the fakes of all platforms. The model repeats the question behind `Answer: `. */
export class EveryPlatform {
  readonly system: System;
  readonly tools: FakeTools;
  readonly #drivers: readonly PlatformDriver[];

  private constructor(system: System, tools: FakeTools, drivers: readonly PlatformDriver[]) {
    this.system = system;
    this.tools = tools;
    this.#drivers = drivers;
  }

  static async start(names: readonly PlatformName[]): Promise<EveryPlatform> {
    const drivers = await Promise.all(names.map((name) => startDriver[name]()));
    const tools = await new FakeTools({ apiKey: 'tools' }).start();
    const system = await System.start({
      ...Object.assign({}, ...drivers.map(({ env }) => env)),
      TOOL_INTEGRATIONS_ENABLED: 'true',
      TOOL_INTEGRATIONS_API_URL: tools.url,
      TOOL_INTEGRATIONS_API_KEY: 'tools',
    });
    const every = new EveryPlatform(system, tools, drivers);
    every.repeatQuestions();
    return every;
  }

  repeatQuestions(): void {
    this.system.model.replyWith(({ messages }) => `Answer: ${contentText(messages.at(-1)!)}`);
  }

  async stop(): Promise<void> {
    await this.system.stop();
    await Promise.all([...this.#drivers.map((driver) => driver.close()), this.tools.close()]);
  }

  /** A tenant with a bot that is connected to these platforms. */
  async connect(...names: readonly PlatformName[]): Promise<Channel[]> {
    const { system } = this;
    const { tenantId } = await system.api<{ tenantId: string }>('POST', '/api/bots/tenants', {
      body: { name: names.join(' and ') },
    });
    const api = callsOf(system, tenantId);
    const agent = { name: 'Support', instructions: 'Be kind.', provider: 'private-llm', model: 'fake' };
    const { id: agentId } = await api<{ id: string }>('POST', '/api/definitions/agents', agent);
    const bot = { name: 'Bot', agentIds: [agentId], joinWindowMs: 0 };
    const { botId } = await api<{ botId: string }>('POST', `/api/bots/${tenantId}/bots`, bot);
    const path = `/api/bots/${tenantId}/${botId}/integrations`;
    const channels: Channel[] = [];
    for (const name of names) {
      const driver = this.#drivers.find((one) => one.name === name)!;
      let integrationId = '';
      const bot = await driver.connect({
        gatewayUrl: system.gatewayUrl,
        botId,
        create: async (body) => {
          const created = await api<{ integrationId: string; deliverTo?: string }>('POST', path, body);
          integrationId = created.integrationId;
          await eventually('the webhooks service knows the integration', async () => {
            const rows = await system.asOwner(
              `select from webhooks.endpoints where integration_id = '${integrationId}'`,
            );
            return rows.length === 1;
          });
          return created;
        },
      });
      channels.push(
        new Channel({ every: this, platform: name, api, bot, tenantId, botId, agentId, integrationId }),
      );
    }
    return channels;
  }
}

type Api = ReturnType<typeof callsOf>;

/** Calls of an admin in a tenant. @throws when the answer isn't a success. */
const callsOf =
  ({ gatewayUrl }: System, tenantId: string) =>
  async <Body = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await fetch(`${gatewayUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-tenant-id': tenantId },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Body;
  };

interface Answer {
  status: number;
  contentType: string | null;
  text: string;
}

interface ChannelParts {
  every: EveryPlatform;
  platform: PlatformName;
  api: Api;
  bot: PlatformBot;
  tenantId: string;
  botId: string;
  agentId: string;
  integrationId: string;
}

/** A bot on one platform, with what a behaviour does there. */
export class Channel {
  readonly every: EveryPlatform;
  readonly platform: PlatformName;
  readonly api: Api;
  readonly bot: PlatformBot;
  readonly tenantId: string;
  readonly botId: string;
  readonly agentId: string;
  readonly integrationId: string;

  constructor(parts: ChannelParts) {
    this.every = parts.every;
    this.platform = parts.platform;
    this.api = parts.api;
    this.bot = parts.bot;
    this.tenantId = parts.tenantId;
    this.botId = parts.botId;
    this.agentId = parts.agentId;
    this.integrationId = parts.integrationId;
  }

  get system(): System {
    return this.every.system;
  }

  get definition() {
    return platformDefinitions[this.platform];
  }

  can(ability: keyof Capabilities): boolean {
    return this.definition.capabilities[ability];
  }

  get integrationPath(): string {
    return `/api/bots/${this.tenantId}/${this.botId}/integrations/${this.integrationId}`;
  }

  /** Posts what the platform posts, through the gateway. */
  async post({ method, path, headers, body }: Delivery): Promise<Answer> {
    const request = method === 'GET' ? { headers } : { method: 'POST', headers, body };
    const answer = await fetch(`${this.system.gatewayUrl}${path}`, request);
    const contentType = answer.headers.get('content-type');
    return { status: answer.status, contentType, text: await answer.text() };
  }

  /** @throws when a delivery isn't accepted. */
  async accept(delivery: Delivery): Promise<string> {
    const { status, text } = await this.post(delivery);
    if (status !== 200)
      throw new Error(`a delivery of ${this.platform} was answered with ${status}: ${text}`);
    return text;
  }

  async write(saying: Saying): Promise<Written> {
    const written = this.bot.write(saying);
    let next: Delivery | undefined = written.delivery;
    while (next) {
      const answer: string = await this.accept(next);
      next = this.bot.answered?.(written, answer);
    }
    return written;
  }

  textsTo(place: Person | Group): string[] {
    return this.bot.sentTo(place).map(({ text }) => text);
  }

  /** Waits until the platform has this text of the bot. */
  async isSent(place: Person | Group, words: string): Promise<string> {
    return await eventually(`${this.platform} gets "${words}"`, () =>
      this.textsTo(place).find((text) => text.includes(words)),
    );
  }

  /** Asks in private, or in a group, and waits for the answer. */
  async ask(saying: Saying): Promise<Written> {
    const written = await this.write(saying);
    await this.isSent(saying.group ?? saying.person, saying.text);
    return written;
  }

  /** The chat of these words, as the inbox shows it. */
  async chatWith(words: string) {
    return await eventually(`the inbox has a chat with "${words}"`, async () => {
      const [chat] = await this.api<Chat[]>('GET', `/api/interactions/chats?q=${encodeURIComponent(words)}`);
      return chat;
    });
  }

  /** Oldest first. */
  async messagesIn({ chatId }: Pick<Chat, 'chatId'>): Promise<ChatMessage[]> {
    return (await this.api<ChatMessage[]>('GET', `/api/interactions/chats/${chatId}/messages`)).toReversed();
  }

  /** The identifier of the person, as Botyard knows it from their message. */
  async idOf(words: string): Promise<string> {
    const chat = await this.chatWith(words);
    const message = (await this.messagesIn(chat)).find(({ text }) => text.includes(words))!;
    const path = `/api/interactions/messages/${message.messageId}`;
    const { sender } = await this.api<{ sender: { platformUserId: string } }>('GET', path);
    return sender.platformUserId;
  }

  /** How often the model was asked with these words as the newest ones. */
  asked(words: string): number {
    return this.system.model.requests.filter(({ messages }) => contentText(messages.at(-1)!).includes(words))
      .length;
  }
}

export interface Chat {
  chatId: string;
  platform: PlatformName;
  title: string;
  state?: string;
  isBlocked?: boolean;
  blockedReason?: string;
  handling: 'bot' | 'person';
}

/** A call of the tool that sends mail. */
export const callTool = (name: string) => ({ name, arguments: { to: 'ben@example.com', body: 'Hello' } });

/** A behaviour that all platforms share. */
export interface Behaviour {
  name: string;
  /** Platforms without these abilities are left out, and must have nothing of them. */
  needs?: keyof Capabilities | readonly (keyof Capabilities)[];
  /** Only platforms without this ability. */
  lacks?: keyof Capabilities;
  run(channel: Channel): Promise<void>;
}
