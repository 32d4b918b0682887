import { randomInt } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { ErasureRequest } from '@botyard/contracts/http/gdpr';
import { eventually } from '@botyard/testing/eventually';
import { type FakeMailer, startFakeMailer } from '@botyard/testing/fake-mailer';
import { contentText, type FakeModel, startFakeModel } from '@botyard/testing/fake-model';
import type { People } from '@botyard/testing/people';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { sayTo } from '../../../../webhooks/test/chat-updates.ts';
import {
  callOk,
  integrationBody,
  openPlatform,
  type Platform,
  startAgents,
  startKeys,
  startTenancy,
  startUsage,
  startWebhooks,
} from '../../whole-platform.ts';

export interface ChatPerson {
  /** Their number on the platform, and of their private chat. */
  id: number;
  name: string;
}

const webhookBaseUrl = 'https://hooks.example.com';
const mailerKey = 'mailer-key-0123456789';
export const mailEnv = (mailer: FakeMailer) => ({
  MAILER_API_URL: mailer.url,
  MAILER_API_KEY: mailerKey,
  MAILER_DOMAIN: 'bots.example',
});

/** All services, a bot that repeats each message, and people who write to it. */
export class ErasureFixture {
  readonly platform: Platform;
  readonly model: FakeModel;
  readonly mailer: FakeMailer;
  agents: TestService;
  webhooks: TestService;
  readonly people: People;
  botId = '';

  private constructor(
    parts: Pick<ErasureFixture, 'platform' | 'model' | 'mailer' | 'agents' | 'webhooks' | 'people'>,
  ) {
    this.platform = parts.platform;
    this.model = parts.model;
    this.mailer = parts.mailer;
    this.agents = parts.agents;
    this.webhooks = parts.webhooks;
    this.people = parts.people;
  }

  static async open(): Promise<ErasureFixture> {
    const [platform, model, mailer] = await Promise.all([
      openPlatform(),
      startFakeModel(),
      startFakeMailer({ apiKey: mailerKey, retryScale: 0.0001 }),
    ]);
    model.replyWith((request) => `You said: ${contentText(request.messages.at(-1)!)}`);
    const env = { PRIVATE_LLM_BASE_URL: model.url, AGENTS_RETRY_BASE_MS: '10' };
    const [agents, webhooks] = await Promise.all([
      startAgents(platform, env),
      startWebhooks(platform, webhookBaseUrl, mailEnv(mailer)),
      startKeys(platform, { PRIVATE_LLM_BASE_URL: model.url }),
      startUsage(platform),
    ]);
    const fixture = new ErasureFixture({ platform, model, mailer, agents, webhooks, people: platform.acme });
    await fixture.#connect();
    return fixture;
  }

  async close(): Promise<void> {
    this.model.release();
    await this.platform.close();
    await this.model.close();
    await this.mailer.close();
  }

  async startAgents(env: Record<string, string> = {}): Promise<void> {
    const more = { PRIVATE_LLM_BASE_URL: this.model.url, AGENTS_RETRY_BASE_MS: '10', ...env };
    this.agents = await startAgents(this.platform, more);
  }

  async startWebhooks(): Promise<void> {
    this.webhooks = await startWebhooks(this.platform, webhookBaseUrl, mailEnv(this.mailer));
  }

  /** Starts the tenancy service again, after the previous one has ended. */
  async startTenancy(): Promise<void> {
    this.platform.tenancy = await startTenancy(this.platform);
  }

  async #connect(): Promise<void> {
    const { tenantId, admin } = this.people;
    const { tenancy, messenger } = this.platform;
    const agent = { name: 'Echo', instructions: 'Repeat.', provider: 'private-llm', model: 'any' };
    const { id } = await callOk(this.agents, 'POST', '/api/definitions/agents', { as: admin, body: agent });
    const body = { name: 'Support', agentIds: [id], joinWindowMs: 0 };
    ({ botId: this.botId } = await callOk(tenancy, 'POST', `/api/bots/${tenantId}/bots`, {
      as: admin,
      body,
    }));
    const token = `${randomInt(1e8, 1e9)}:${'a'.repeat(35)}`;
    messenger.addBot({ token, username: 'Support' });
    await callOk(tenancy, 'POST', `/api/bots/${tenantId}/${this.botId}/integrations`, {
      as: admin,
      body: {
        ...integrationBody(token),
        settings: { messenger: { webhookSecretToken: 'a-secret_1' } },
      },
    });
    await this.platform.harness.settled('webhooks', 'tenancy');
    await this.platform.harness.settled('agents', 'tenancy');
  }

  /** Delivers an update as the platform does. */
  async deliver(update: object): Promise<void> {
    const headers = { 'x-telegram-bot-api-secret-token': 'a-secret_1' };
    const path = `/webhooks/messenger/${this.botId}`;
    const { status, text } = await this.webhooks.call('POST', path, { as: anonymous, body: update, headers });
    if (status !== 200) throw new Error(`the delivery was answered ${status} ${text}`);
  }

  /** An update with a person's message: in private, or to the bot in a group. It can be delivered or changed. */
  update(
    { id, name }: ChatPerson,
    text: string,
    { chatId = id, ...change }: { chatId?: number; [field: string]: unknown } = {},
  ) {
    return sayTo('Support', chatId, text, {
      from: { id, is_bot: false, first_name: name, username: `u${id}` },
      chat:
        chatId > 0
          ? { id, type: 'private', first_name: name }
          : { id: chatId, type: 'group', title: 'Friends' },
      date: Math.floor(Date.now() / 1000),
      ...change,
    });
  }

  /** Says something and waits for the answer to it. */
  async say(
    person: ChatPerson,
    text: string,
    options: { chatId?: number; [field: string]: unknown } = {},
  ): Promise<void> {
    await this.deliver(this.update(person, text, options));
    await eventually(
      `an answer to ${text}`,
      () => this.sentTo(options.chatId ?? person.id).some((sent) => sent.includes(text)),
      // A group gets twenty answers a minute at most, so one may wait for those before it.
    );
  }

  sentTo = (chatId: number): string[] =>
    this.platform.messenger.sent
      .filter((sent) => sent.chatId === String(chatId))
      .map(({ entry }) => entry.text ?? '');

  /** Resolves when everything that was published is consumed and sent. */
  async settle(): Promise<void> {
    const { harness } = this.platform;
    for (const [service, owner] of [
      ['agents', 'webhooks'],
      ['webhooks', 'agents'],
      ['agents', 'webhooks'],
    ] as const)
      await harness.settled(service, owner);
  }

  async request(body: object): Promise<ErasureRequest> {
    const { tenancy } = this.platform;
    return await callOk(tenancy, 'POST', '/api/admin/gdpr/requests', {
      as: this.people.admin,
      body,
      status: 202,
    });
  }

  get = (requestId: string): Promise<ErasureRequest> =>
    callOk(this.platform.tenancy, 'GET', `/api/admin/gdpr/requests/${requestId}`, { as: this.people.admin });

  async done({ requestId }: Pick<ErasureRequest, 'requestId'>): Promise<ErasureRequest> {
    await eventually('the erasure is done', async () => (await this.get(requestId)).state === 'done');
    return await this.get(requestId);
  }

  /** Every place in which one of these words is found: tables of all schemas, streams, objects. */
  async find(...words: string[]): Promise<string[]> {
    const places = [...(await this.#findInTables(words)), ...(await this.#findInStreams(words))];
    return [...new Set(places)].sort();
  }

  async #findInTables(words: string[]): Promise<string[]> {
    const { harness } = this.platform;
    const tables = await harness.asOwner<{ name: string }>(
      `select schemaname || '.' || tablename as name from pg_tables where schemaname in ('tenancy', 'keys', 'usage', 'webhooks', 'agents')`,
    );
    const places: string[] = [];
    for (const { name } of tables) {
      const rows = await harness.asOwner<{ row: string }>(`select t::text as row from ${name} t`);
      if (rows.some(({ row }) => words.some((word) => row.includes(word)))) places.push(name);
    }
    return places;
  }

  async #findInStreams(words: string[]): Promise<string[]> {
    const { harness } = this.platform;
    const bus = await harness.busAs('webhooks');
    const { manager, jetstream } = bus.live();
    const places: string[] = [];
    for (const owner of ['tenancy', 'keys', 'usage', 'webhooks', 'agents']) {
      const stream = bus.names.stream(owner);
      const info = await manager.streams.info(stream).catch(() => undefined);
      for (let seq = info?.state.first_seq ?? 1; info && seq <= info.state.last_seq; seq += 1) {
        const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
        if (message && words.some((word) => message.string().includes(word))) places.push(`stream ${owner}`);
      }
    }
    const { Objm } = await import('@nats-io/obj');
    const bucket = await new Objm(jetstream).open(bus.names.bucket);
    for (const { name } of await bucket.list()) {
      const bytes = Buffer.from((await bucket.getBlob(name)) ?? []);
      const text = bytes[0] === 0x1f ? gunzipSync(bytes).toString() : bytes.toString();
      if (words.some((word) => text.includes(word))) places.push(`object ${name}`);
    }
    return places;
  }
}

export const newChatPerson = (name: string): ChatPerson => ({ id: randomInt(1e9, 1e12), name });
export const newGroup = (): number => -randomInt(1_000_000, 2 ** 31);
