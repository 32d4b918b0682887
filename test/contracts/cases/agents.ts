import { registryRefreshed } from '@botyard/contracts/events/agents';
import { staffPresence } from '@botyard/contracts/events/chat-hints';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { FakeModel } from '@botyard/testing/fake-model';
import { samplesOf } from '@botyard/testing/samples';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { AnswerCase, Step, Tables } from '../support/tables.ts';
import { agentsAsks, forgetsAdmission, forgetsNoKey, forgetsQuota, playRefusedKey } from './agents-asks.ts';
import { erasureAnswers, sayThen } from './agents-erasure.ts';
import { addAgent, addBot, answerOnce, askBot, say } from './agents-steps.ts';
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
const heard: Step = async (sut, tenant) => {
  await addBot()(sut, tenant);
  await say({ quote, receivedAt })(sut, tenant);
};

/** Messages of a span are found by the moment at which their identifiers were made: as if that had been then. */
const heardThen: Step = async (sut, tenant) => {
  await heard(sut, tenant);
  const messageId = uuidv7({ msecs: Date.parse(receivedAt) });
  await sut.rows('update agents.messages set message_id = $2 where tenant_id = $1', [
    tenant.tenantId,
    messageId,
  ]);
};

/** The service knows the tenant's bot, and the answer's field is a list of one. */
const listsOne =
  (field: string): AnswerCase =>
  async (sut, tenant) => {
    await heard(sut, tenant);
    return (answer) => expect(answer[field]).toHaveLength(1);
  };

const has =
  (text: string): Step<boolean> =>
  async (sut, tenant) =>
    (await sut.rows(text, [tenant.tenantId])).length > 0;

/** The index over agents' words is made once, and again when somebody asks for that. */
const forgetsIndex: Step = async (sut, tenant) => {
  await addAgent({ name: 'Other' })(sut, tenant);
  const other = tenant.id('agentId');
  await addAgent({ keywords: ['refund'] })(sut, tenant);
  const scoreOf = async (message: string): Promise<number> => {
    const body = { message, agentIds: [other, tenant.id('agentId')] };
    const { candidates } = await sut.make(tenant, 'POST', '/api/agents/triage-preview', body);
    return candidates.find(({ agentId }: { agentId: string }) => agentId === tenant.id('agentId')).score;
  };
  const before = await scoreOf('my parcel');
  await sut.rows(`update agents.agent_definitions set keywords = '{parcel}' where id = $1`, [
    tenant.id('agentId'),
  ]);
  expect(await scoreOf('my parcel')).toBe(before);
  await sut.publish(registryRefreshed, { tenantId: tenant.tenantId });
  await eventually('the index is made anew', async () => (await scoreOf('my parcel')) > before);
};

export function agentsTables(model: () => FakeModel): Tables {
  return {
    answers: {
      'agents.definition.missing.v1': async (sut, tenant) => {
        await addAgent()(sut, tenant);
        return ({ missing }) => {
          expect(missing).toHaveLength(1);
          expect(missing).not.toContain(tenant.id('agentId'));
        };
      },
      'agents.definition.list.v1': async (sut, tenant) => {
        await addAgent()(sut, tenant);
        return ({ agents }) =>
          expect(agents).toMatchObject([{ agentId: tenant.id('agentId'), name: 'Agent' }]);
      },
      'agents.chat.list.v1': listsOne('chats'),
      'agents.quote.list.v1': listsOne('quotes'),
      'agents.person.list.v1': listsOne('people'),
      'agents.traffic.count.v1': async (sut, tenant) => {
        await heard(sut, tenant);
        return ({ traffic }) =>
          expect(traffic).toContainEqual(expect.objectContaining({ botId: null, messagesIn: 1 }));
      },
      'agents.storage.limit.v1': async () => (answer) =>
        expect(answer).toMatchObject({ ownLimit: null, defaultLimit: 200 * 1024 ** 2, used: 0 }),
      'agents.bot.count.v1': async (sut, tenant) => {
        await heardThen(sut, tenant);
        return ({ totals }) => expect(totals).toMatchObject({ messagesIn: 1, people: 1 });
      },
      'agents.refusal.count.v1': async (sut, tenant) => {
        await heard(sut, tenant);
        return ({ byDay }) => expect(byDay).toHaveLength(2);
      },
      'agents.work.count.v1': async (sut, tenant) => {
        await heard(sut, tenant);
        const { tenantId } = tenant;
        return ({ tenants }) =>
          expect(tenants).toMatchObject([{ tenantId, conversationsWaiting: 1, messagesWaiting: 1 }]);
      },
      'agents.activity.sum.v1': async (sut, tenant) => {
        await addBot()(sut, tenant);
        await sayThen(sut, tenant);
        // Sets the time of storing too: figures of a period leave out messages that were stored much later.
        await sut.rows('update agents.messages set message_id = $2 where tenant_id = $1', [
          tenant.tenantId,
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
        effect: async (sut, tenant) =>
          !(await has('select from agents.agent_definitions where tenant_id = $1')(sut, tenant)),
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
      'webhooks.message.deleted.v1': {
        arrange: say(),
        effect: has('select from agents.messages where tenant_id = $1 and deleted_at is not null'),
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
      'webhooks.person.renamed.v1': {
        arrange: say({
          platform: 'whatsapp',
          sender: { platformUserId: 'DE.13491208655302741918', name: 'Anna' },
        }),
        effect: has(
          `select from agents.people where tenant_id = $1 and platform_user_id = 'DE.13491208655302749999'`,
        ),
      },
      'webhooks.reply.delivered.v1': {
        arrange: answerOnce,
        effect: has(`select from agents.messages where tenant_id = $1 and delivery is not null`),
      },
      'webhooks.reply.reported.v1': {
        arrange: answerOnce,
        effect: has('select from agents.messages where tenant_id = $1 and receipt is not null'),
      },
      'webhooks.reply.rated.v1': {
        arrange: answerOnce,
        effect: has('select from agents.messages where tenant_id = $1 and rating is not null'),
      },
    },
    watches: {
      ...callers.watches,
      'tenancy.authorization.changed.v1': async (sut, tenant) => {
        await callers.watches['tenancy.authorization.changed.v1']?.(sut, tenant);
        await forgetsAdmission(sut, sut.newTenant());
      },
      'usage.quota.changed.v1': forgetsQuota,
      'keys.key.stored.v1': forgetsNoKey,
      'agents.registry.refreshed.v1': forgetsIndex,
    },
    publishes: {
      'agents.reply.created.v1': answerOnce,
      'agents.turn.completed.v1': answerOnce,
      'agents.summary.made.v1': async (sut, tenant) => {
        await addBot({ keepsSummary: true })(sut, tenant);
        for (let seq = 1; seq <= 12; seq += 1) {
          await say({ seq, text: `${seq} ${'and more of it '.repeat(230)}` })(sut, tenant);
          await eventually('it is answered', async () => {
            const turns = await sut.rows('select from agents.turns where tenant_id = $1', [tenant.tenantId]);
            return turns.length === seq;
          });
        }
      },
      'agents.trial.ended.v1': async (sut, tenant) => {
        await addAgent()(sut, tenant);
        const body = { messages: [{ role: 'user', text: 'Hello' }] };
        await sut.make(tenant, 'POST', `/api/agents/${tenant.id('agentId')}/try`, body);
      },
      'agents.evaluation.changed.v1': async (sut, tenant) => {
        await addAgent()(sut, tenant);
        const set = { name: 'Orders', agentId: tenant.id('agentId'), mayUsePlatformKey: true };
        const { setId } = await sut.make(tenant, 'POST', '/api/evaluations/sets', set);
        const messages = [{ role: 'user', text: 'Hello' }];
        await sut.make(tenant, 'POST', `/api/evaluations/sets/${setId}/cases`, { name: 'Hello', messages });
        await sut.make(tenant, 'POST', '/api/evaluations/runs', { setId });
      },
      'agents.release.changed.v1': async (sut, tenant) => {
        await addAgent()(sut, tenant);
        const path = `/api/definitions/agents/${tenant.id('agentId')}`;
        await sut.make(tenant, 'PUT', path, { instructions: 'Be brief.' });
        await sut.make(tenant, 'POST', `${path}/releases`, { version: 1 });
      },
      'agents.key.failed.v1': async (sut, tenant) => {
        await addBot()(sut, tenant);
        await playRefusedKey(sut, tenant, model());
        await askBot(sut, tenant);
      },
      'agents.group.saved.v1': async (sut, tenant) => {
        await addBot()(sut, tenant);
        await say({ chat: group })(sut, tenant);
        const [{ groupId }] = await sut.make(tenant, 'GET', '/api/bot-groups');
        await sut.make(tenant, 'PUT', `/api/bot-groups/${groupId}`, { answersWhen: 'always' });
      },
      'agents.attention.needed.v1': async (sut, tenant) => {
        await addBot()(sut, tenant);
        // Every try to answer fails inside the service.
        await sut.rows(`update agents.agent_definitions set provider = 'x' where tenant_id = $1`, [
          tenant.tenantId,
        ]);
        await say()(sut, tenant);
        await eventually('the message is dead', () =>
          has(`select from agents.messages where tenant_id = $1 and status = 'dead'`)(sut, tenant),
        );
      },
      'agents.handling.changed.v1': async (sut, tenant) => {
        await addBot()(sut, tenant);
        await say()(sut, tenant);
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        await sut.make(tenant, 'POST', `/api/interactions/chats/${chatId}/takeover`, {});
      },
      'agents.chat.updated.v1': async (sut, tenant) => {
        await addBot()(sut, tenant);
        await say()(sut, tenant);
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        await sut.make(tenant, 'PUT', `/api/interactions/chats/${chatId}`, { state: 'resolved' });
      },
      'agents.note.created.v1': async (sut, tenant) => {
        await addBot()(sut, tenant);
        await say()(sut, tenant);
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        await sut.make(tenant, 'POST', `/api/interactions/chats/${chatId}/notes`, { text: 'Called back' });
      },
      'agents.registry.refreshed.v1': (sut, tenant) =>
        sut.make(tenant, 'POST', '/api/agents/registry/refresh'),
    },
    signals: {
      'agents.turn.preview.v1': async (sut, tenant) => {
        await addBot()(sut, tenant);
        const ofVisitor = samplesOf(messageReceived).find(({ payload }) => payload.platform === 'webchat');
        await sut.publish(messageReceived, tenant.withOwnIds(ofVisitor!.payload));
      },
      'agents.staff.presence.v1': async (sut, tenant) => {
        await addBot()(sut, tenant);
        await say()(sut, tenant);
        const [{ chatId }] = await sut.make(tenant, 'GET', '/api/interactions/chats');
        await sut.make(tenant, 'PUT', `/api/interactions/chats/${chatId}/presence`, { isTyping: true });
      },
      'agents.turn.typing.v1': async (sut, tenant) => {
        model().hang();
        await addBot()(sut, tenant);
        await say()(sut, tenant);
        await eventually('typing is shown', () =>
          sut.fakes.published.some(
            ({ subject, text }) => subject.includes('typing') && text.includes(tenant.id('botId')),
          ),
        );
        model().release();
      },
    },
    listens: {
      // Listeners of live events hear them, of which there is none here: their tests look at them.
      'agents.staff.presence.v1': async (sut, tenant) => {
        for (const { payload } of samplesOf(staffPresence))
          sut.hint(staffPresence, tenant.withOwnIds(payload));
      },
    },
  };
}
