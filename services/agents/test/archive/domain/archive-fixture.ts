import { randomUUID } from 'node:crypto';
import type { ArchivedMessage, ArchiveJob } from '@botyard/contracts/http/archival';
import { eventually } from '@botyard/testing/eventually';
import type { People } from '@botyard/testing/people';
import { createTenantWithPeople } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { createApp } from '../../../src/app.ts';
import { agentsConfig } from '../../../src/config.ts';
import { startTenancy } from '../../agents-services.ts';

/** The agents service with tenancy beside it, and a past of messages that a test makes. */
export class ArchiveFixture {
  readonly harness: ServiceHarness;
  readonly tenancy: TestService;
  agents: TestService;
  readonly acme: People;
  readonly other: People;

  private constructor(parts: Pick<ArchiveFixture, 'harness' | 'tenancy' | 'agents' | 'acme' | 'other'>) {
    this.harness = parts.harness;
    this.tenancy = parts.tenancy;
    this.agents = parts.agents;
    this.acme = parts.acme;
    this.other = parts.other;
  }

  static async open(): Promise<ArchiveFixture> {
    const harness = await ServiceHarness.open();
    const [tenancy, agents] = await Promise.all([startTenancy({ harness }), ArchiveFixture.#start(harness)]);
    const [acme, other] = [
      await createTenantWithPeople(harness, tenancy),
      await createTenantWithPeople(harness, tenancy),
    ];
    return new ArchiveFixture({ harness, tenancy, agents, acme, other });
  }

  static #start = (harness: ServiceHarness): Promise<TestService> =>
    harness.start({ service: 'agents', schema: agentsConfig, createApp });

  async startAgents(): Promise<void> {
    this.agents = await ArchiveFixture.#start(this.harness);
  }

  /** A tenant of its own for a test. */
  tenant = (): Promise<People> => createTenantWithPeople(this.harness, this.tenancy);

  /** A private chat of a new bot. */
  async chat(
    { tenantId }: People,
    platformUserId = '77',
  ): Promise<{ tenantId: string; botId: string; conversationId: string; chatId: string }> {
    const chat = { tenantId, botId: randomUUID(), conversationId: randomUUID(), chatId: uuidv7() };
    await this.harness.asOwner(
      `insert into agents.bots (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms, revision) values ($1, $2, 'Old', '{}', true, 0, 1)`,
      [tenantId, chat.botId],
    );
    await this.harness.asOwner(
      `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place)
       values ($1, $2, $3, $4, $4, 'messenger', $5)`,
      [
        tenantId,
        chat.conversationId,
        chat.chatId,
        chat.botId,
        { platformChatId: platformUserId, kind: 'private', title: 'Anna' },
      ],
    );
    return chat;
  }

  /** Messages of a chat that are as old as can be: in and out in turn, a minute apart, the first one 100 days ago. */
  async past(
    chat: { tenantId: string; conversationId: string },
    count: number,
    text = 'word',
  ): Promise<void> {
    await this.harness.asOwner(
      `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, sender, status, received_at, created_at)
       select $1, uuidv7(make_interval(mins => n - 144000)), $2, case n % 2 when 1 then 'in' else 'out' end, n, $4 || ' ' || n, 'text',
         case n % 2 when 1 then '{"platformUserId": "77", "name": "Anna"}'::jsonb end,
         case n % 2 when 1 then 'answered' else 'sent' end, now() + make_interval(mins => n - 144000), now() + make_interval(mins => n - 144000)
       from generate_series(1, $3::int) n`,
      [chat.tenantId, chat.conversationId, count, text],
    );
  }

  async start(
    people: People,
    kind: 'archive' | 'trim' | 'check',
    body: object = { before: new Date().toISOString() },
  ): Promise<string> {
    const call = { as: people.admin, ...(kind === 'check' ? {} : { body }) };
    const answer = await this.agents.call('POST', `/api/archival/${kind}`, call);
    if (answer.status !== 202) throw new Error(`${kind}: ${answer.status} ${answer.text}`);
    return answer.body.jobId;
  }

  async job(people: People, jobId: string): Promise<ArchiveJob> {
    return (await this.agents.call('GET', `/api/archival/jobs/${jobId}`, { as: people.admin }))
      .body as ArchiveJob;
  }

  /** Resolves with the job when it has ended. */
  async over(people: People, jobId: string): Promise<ArchiveJob> {
    await eventually(`the job is over`, async () =>
      ['done', 'failed'].includes((await this.job(people, jobId)).state),
    );
    return await this.job(people, jobId);
  }

  async run(people: People, kind: 'archive' | 'trim' | 'check', body?: object): Promise<ArchiveJob> {
    return await this.over(people, await this.start(people, kind, body));
  }

  /** All pages of a search. */
  async search(people: People, query = ''): Promise<ArchivedMessage[]> {
    const messages: ArchivedMessage[] = [];
    let path = `/api/archival/messages?${query}`;
    while (path) {
      const answer = await this.agents.call('GET', path, { as: people.admin });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      messages.push(...(answer.body as ArchivedMessage[]));
      path = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    }
    return messages;
  }

  /** How many messages of a tenant are in the database. */
  async left({ tenantId }: People): Promise<number> {
    const [row] = await this.harness.asOwner<{ count: string }>(
      'select count(*) from agents.messages where tenant_id = $1',
      [tenantId],
    );
    return Number(row?.count);
  }
}
