import { randomUUID } from 'node:crypto';
import type { DataOf } from '@botyard/contracts/events/definition';
import { botSaved } from '@botyard/contracts/events/tenancy';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { firstSample } from '@botyard/testing/samples';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { Step } from '../support/tables.ts';
import type { TestTenant } from '../support/test-tenant.ts';

type Message = DataOf<typeof messageReceived>;

/** An agent of the tenant, which asks a public provider. */
export const addAgent =
  (change: object = {}): Step =>
  async (sut, tenant) => {
    const { id } = await sut.make(tenant, 'POST', '/api/definitions/agents', {
      name: 'Agent',
      instructions: 'Help.',
      provider: 'openai',
      model: 'gpt-test',
      ...change,
    });
    tenant.useIds({ agentId: id });
  };

/** Tenancy announces the bot that this agent serves; its messages are never joined. */
export const addBot =
  (change: object = {}): Step =>
  async (sut, tenant) => {
    await addAgent(change)(sut, tenant);
    const bot = { ...tenant.withOwnIds(firstSample(botSaved)), joinWindowMs: 0 };
    expect(await sut.outcomeOf(await sut.publish(botSaved, bot))).toBe('taken');
  };

/** A message of today, in the first conversation of the tenant. */
export function messageIn(tenant: TestTenant, change: Partial<Message> = {}): Message {
  const now = new Date().toISOString();
  const payload = tenant.withOwnIds(firstSample(messageReceived));
  return { ...payload, deliveryId: uuidv7(), sentAt: now, receivedAt: now, ...change };
}

export const say =
  (change: Partial<Message> = {}): Step =>
  async (sut, tenant) => {
    const eventId = await sut.publish(messageReceived, messageIn(tenant, change));
    expect(await sut.outcomeOf(eventId)).toBe('taken');
  };

/** The outcome of a message in a new conversation of the tenant: see `statuses`. */
export const askBot: Step<{ status: number }> = async (sut, tenant) => {
  const conversationId = randomUUID();
  await say({ conversationId })(sut, tenant);
  return { status: await statusOf(conversationId)(sut, tenant) };
};

interface TurnRow extends Record<string, unknown> {
  /** How the turn ended; `null` while it has not. */
  outcome: string | null;
  is_refused: boolean;
  error: string | null;
  waits: boolean;
}

/** The outcome as an HTTP status: the model's answer, an apology, a refused message, a postponed turn, a failure. */
const statuses = { answered: 200, apologized: 202, refused: 403, waits: 503, failed: 500 };

const statusOf = (conversationId: string): Step<number> => {
  return async (sut) =>
    await eventually('the message is answered, put off or given back', async () => {
      const [row] = await sut.rows<TurnRow>(
        `select t.outcome, m.refusal is not null as is_refused, coalesce(m.last_error, c.last_error) as error,
           c.fence > 0 and c.lease_until is null and c.ready_at is not null and c.failures = 0 as waits
         from agents.conversations c join agents.messages m using (conversation_id)
         left join agents.turns t using (conversation_id)
         where conversation_id = $1 and m.direction = 'in' limit 1`,
        [conversationId],
      );
      if (!row) return undefined;
      if (row.outcome) return statuses[row.outcome as 'answered' | 'apologized'];
      if (row.is_refused) return statuses.refused;
      if (row.error) return row.error.includes('not today') ? 422 : statuses.failed;
      return row.waits && statuses.waits;
    });
};

/** Every message of the tenant has been answered. */
export const isAnswered: Step = async (sut, tenant) => {
  await eventually('what waited is answered', async () => {
    const rows = await sut.rows(
      `select from agents.messages m where tenant_id = $1 and direction = 'in' and not exists
         (select from agents.turns t where t.conversation_id = m.conversation_id and outcome = 'answered')`,
      [tenant.tenantId],
    );
    return rows.length === 0;
  });
};

/** A turn in the first conversation of the tenant; its reply is the sample's. */
export const answerOnce: Step = async (sut, tenant) => {
  await addBot()(sut, tenant);
  await say()(sut, tenant);
  await isAnswered(sut, tenant);
  const [reply] = await sut.rows<{ message_id: string }>(
    `select message_id from agents.messages where tenant_id = $1 and direction = 'out'`,
    [tenant.tenantId],
  );
  tenant.useIds({ replyId: reply!.message_id });
};
