import { registryRefreshed } from '@botyard/contracts/events/agents';
import { eventually } from '@botyard/testing/eventually';
import type { FakeModel } from '@botyard/testing/fake-model';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { AnswerCase, Step, Tables } from '../support/tables.ts';
import { agentsAsks, forgetsAdmission, forgetsNoKey, forgetsQuota, playRefusedKey } from './agents-asks.ts';
import { erasureAnswers, sayThen } from './agents-erasure.ts';
import { addAgent, addBot, answerOnce, askBot, say } from './agents-world.ts';
import { readAs, remoteCallers } from './remote-callers.ts';

const callers = remoteCallers({
  path: () => '/api/bot-groups',
  ofMember: 400,
  remembered: readAs('operator', () => '/api/admin/integrations/toolkits'),
});

const group = { platformChatId: '-4123456789', kind: 'group', title: 'Team' } as const;
const quote = { kind: 'reply', text: 'from 10 to 16', author: { name: 'Support', isBot: true } } as const;

const receivedAt = '2026-11-20T18:40:00.120Z';

/** Sends the bot a message with a quotation. */
const heard: Step = async (lone, world) => {
  await addBot()(lone, world);
  await say({ quote, receivedAt })(lone, world);
};

/** Messages of a span are found by the moment at which their identifiers were made: as if that had been then. */
const heardThen: Step = async (lone, world) => {
  await heard(lone, world);
  const messageId = uuidv7({ msecs: Date.parse(receivedAt) });
  await lone.rows('update agents.messages set message_id = $2 where tenant_id = $1', [
    world.tenantId,
    messageId,
  ]);
};

/** The service knows the world's bot, and the answer's field is a list of one. */
const listsOne =
  (field: string): AnswerCase =>
  async (lone, world) => {
    await heard(lone, world);
    return (answer) => expect(answer[field]).toHaveLength(1);
  };

const has =
  (text: string): Step<boolean> =>
  async (lone, world) =>
    (await lone.rows(text, [world.tenantId])).length > 0;

/** The index over agents' words is made once, and again when somebody asks for that. */
const forgetsIndex: Step = async (lone, world) => {
  await addAgent({ name: 'Other' })(lone, world);
  const other = world.id('agentId');
  await addAgent({ keywords: ['refund'] })(lone, world);
  const scoreOf = async (message: string): Promise<number> => {
    const body = { message, agentIds: [other, world.id('agentId')] };
    const { candidates } = await lone.make(world, 'POST', '/api/agents/triage-preview', body);
    return candidates.find(({ agentId }: { agentId: string }) => agentId === world.id('agentId')).score;
  };
  const before = await scoreOf('my parcel');
  await lone.rows(`update agents.agent_definitions set keywords = '{parcel}' where id = $1`, [
    world.id('agentId'),
  ]);
  expect(await scoreOf('my parcel')).toBe(before);
  await lone.publish(registryRefreshed, { tenantId: world.tenantId });
  await eventually('the index is made anew', async () => (await scoreOf('my parcel')) > before);
};

export function agentsTables(model: () => FakeModel): Tables {
  return {
    answers: {
      'agents.definition.missing.v1': async (lone, world) => {
        await addAgent()(lone, world);
        return ({ missing }) => {
          expect(missing).toHaveLength(1);
          expect(missing).not.toContain(world.id('agentId'));
        };
      },
      'agents.definition.list.v1': async (lone, world) => {
        await addAgent()(lone, world);
        return ({ agents }) =>
          expect(agents).toMatchObject([{ agentId: world.id('agentId'), name: 'Agent' }]);
      },
      'agents.chat.list.v1': listsOne('chats'),
      'agents.quote.list.v1': listsOne('quotes'),
      'agents.person.list.v1': listsOne('people'),
      'agents.traffic.count.v1': async (lone, world) => {
        await heard(lone, world);
        return ({ traffic }) =>
          expect(traffic).toContainEqual(expect.objectContaining({ botId: null, messagesIn: 1 }));
      },
      'agents.storage.limit.v1': async () => (answer) =>
        expect(answer).toMatchObject({ ownLimit: null, defaultLimit: 200 * 1024 ** 2, used: 0 }),
      'agents.bot.count.v1': async (lone, world) => {
        await heardThen(lone, world);
        return ({ totals }) => expect(totals).toMatchObject({ messagesIn: 1, people: 1 });
      },
      'agents.refusal.count.v1': async (lone, world) => {
        await heard(lone, world);
        return ({ byDay }) => expect(byDay).toHaveLength(2);
      },
      'agents.work.count.v1': async (lone, world) => {
        await heard(lone, world);
        const { tenantId } = world;
        return ({ tenants }) =>
          expect(tenants).toMatchObject([{ tenantId, conversationsWaiting: 1, messagesWaiting: 1 }]);
      },
      'agents.activity.sum.v1': async (lone, world) => {
        await addBot()(lone, world);
        await sayThen(lone, world);
        // Sets the time of storing too: figures of a period leave out messages that were stored much later.
        await lone.rows('update agents.messages set message_id = $2 where tenant_id = $1', [
          world.tenantId,
          uuidv7({ msecs: Date.parse(receivedAt) }),
        ]);
        const at = '2026-11-20T00:00:00.000Z';
        return ({ series }) => expect(series).toMatchObject([{ at, messagesIn: 1, answers: 0 }]);
      },
      ...erasureAnswers,
    },
    asks: { ...callers.asks, ...agentsAsks(model) },
    consumes: {
      'tenancy.tenant.deleted.v1': {
        arrange: addAgent(),
        effect: async (lone, world) =>
          !(await has('select from agents.agent_definitions where tenant_id = $1')(lone, world)),
      },
      'tenancy.bot.saved.v1': { effect: has('select from agents.bots where tenant_id = $1') },
      'tenancy.bot.deleted.v1': {
        arrange: addBot(),
        effect: has('select from agents.bots where tenant_id = $1 and deleted_at is not null'),
      },
      'webhooks.message.received.v1': {
        effect: has(
          `select from agents.messages where tenant_id = $1 and direction = 'in' and text = 'Hello'`,
        ),
      },
      'webhooks.message.edited.v1': {
        arrange: say(),
        effect: has(`select from agents.messages where tenant_id = $1 and text = 'Hello there'`),
      },
      'webhooks.chat.changed.v1': {
        effect: has(`select from agents.chat_states where tenant_id = $1 and state = 'blocked'`),
      },
      'webhooks.chat.migrated.v1': {
        arrange: say({ chat: group }),
        effect: has(
          `select from agents.conversations where tenant_id = $1 and place ->> 'platformChatId' = '-1002700000001'`,
        ),
      },
      'webhooks.reply.delivered.v1': {
        arrange: answerOnce,
        effect: has(`select from agents.messages where tenant_id = $1 and delivery is not null`),
      },
    },
    watches: {
      ...callers.watches,
      'tenancy.authorization.changed.v1': async (lone, world) => {
        await callers.watches['tenancy.authorization.changed.v1']?.(lone, world);
        await forgetsAdmission(lone, lone.newWorld());
      },
      'usage.quota.changed.v1': forgetsQuota,
      'keys.key.stored.v1': forgetsNoKey,
      'agents.registry.refreshed.v1': forgetsIndex,
    },
    publishes: {
      'agents.reply.created.v1': answerOnce,
      'agents.turn.completed.v1': answerOnce,
      'agents.summary.made.v1': async (lone, world) => {
        await addBot({ keepsSummary: true })(lone, world);
        for (let seq = 1; seq <= 12; seq += 1) {
          await say({ seq, text: `${seq} ${'and more of it '.repeat(230)}` })(lone, world);
          await eventually('it is answered', async () => {
            const turns = await lone.rows('select from agents.turns where tenant_id = $1', [world.tenantId]);
            return turns.length === seq;
          });
        }
      },
      'agents.trial.ended.v1': async (lone, world) => {
        await addAgent()(lone, world);
        const body = { messages: [{ role: 'user', text: 'Hello' }] };
        await lone.make(world, 'POST', `/api/agents/${world.id('agentId')}/try`, body);
      },
      'agents.key.failed.v1': async (lone, world) => {
        await addBot()(lone, world);
        await playRefusedKey(lone, world, model());
        await askBot(lone, world);
      },
      'agents.group.saved.v1': async (lone, world) => {
        await addBot()(lone, world);
        await say({ chat: group })(lone, world);
        const [{ groupId }] = await lone.make(world, 'GET', '/api/bot-groups');
        await lone.make(world, 'PUT', `/api/bot-groups/${groupId}`, { answersWhen: 'always' });
      },
      'agents.attention.needed.v1': async (lone, world) => {
        await addBot()(lone, world);
        // Every try to answer fails inside the service.
        await lone.rows(`update agents.agent_definitions set provider = 'x' where tenant_id = $1`, [
          world.tenantId,
        ]);
        await say()(lone, world);
        await eventually('the message is dead', () =>
          has(`select from agents.messages where tenant_id = $1 and status = 'dead'`)(lone, world),
        );
      },
      'agents.handling.changed.v1': async (lone, world) => {
        await addBot()(lone, world);
        await say()(lone, world);
        const [{ chatId }] = await lone.make(world, 'GET', '/api/interactions/chats');
        await lone.make(world, 'POST', `/api/interactions/chats/${chatId}/takeover`, {});
      },
      'agents.registry.refreshed.v1': (lone, world) =>
        lone.make(world, 'POST', '/api/agents/registry/refresh'),
    },
    signals: {
      'agents.turn.typing.v1': async (lone, world) => {
        model().hang();
        await addBot()(lone, world);
        await say()(lone, world);
        await eventually('typing is shown', () =>
          lone.neighbours.told.some(
            ({ subject, text }) => subject.includes('typing') && text.includes(world.id('botId')),
          ),
        );
        model().release();
      },
    },
    listens: {},
  };
}
