import { randomUUID } from 'node:crypto';
import { resolveKey } from '@botyard/shared/events/keys';
import { admitMessages, authorizationChanged } from '@botyard/shared/events/tenancy';
import { quotaChanged, reserveQuota } from '@botyard/shared/events/usage';
import { sealFor } from '@botyard/shared/secrets/handover';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/shared/testing/eventually';
import type { FakeModel } from '@botyard/shared/testing/fake-model';
import { type Said, samplesOf } from '@botyard/shared/testing/samples';
import { expect } from 'vitest';
import type { LoneService } from '../support/lone-service.ts';
import type { AskCase, Step } from '../support/tables.ts';
import type { World } from '../support/world.ts';
import { addBot, answerOnce, askBot, isAnswered } from './agents-world.ts';

/** Somebody else than the admin has to decide about this call of a tool. */
const openTicket: Step = async (lone, world) => {
  const requester = {
    userId: randomUUID(),
    platform: 'messenger',
    platformUserId: '5512345678',
    name: 'Anna',
  };
  await lone.rows(
    `insert into agents.tool_tickets (tenant_id, ticket_id, status, conversation_id, bot_id, agent_id, tool_id, tool_name,
       toolkit, tool, arguments_hash, requesters, arguments, requester_ids, expires_at, next_at)
     values ($1, $2, 'pending', $2, $2, $2, $2, 'send', 'gmail', 'SEND', 'hash', $3, '{}', '{}',
       now() + interval '1 hour', now() + interval '1 hour')`,
    [world.tenantId, world.id('turnId'), JSON.stringify([requester])],
  );
};

const traceOf = new Map<World, string>();

/** What an agent's service asks while it answers, and while somebody looks at a page. */
export function agentsAsks(model: () => FakeModel): Readonly<Record<string, AskCase>> {
  const inTurn: AskCase = { arrange: addBot(), provoke: askBot, goesOn: isAnswered };
  return {
    'tenancy.bot.find.v1': {
      provoke: (lone, world) =>
        lone.call(world, 'POST', '/api/agents/triage-preview', { message: 'Hi', botId: world.id('botId') }),
      answered: { first: 200, none: 404 },
    },
    'tenancy.message.admit.v1': {
      ...inTurn,
      // The last one refuses somebody else.
      answered: { first: 200, refused: 403, channel: 403, email: 200 },
    },
    'tenancy.account.owners.v1': {
      arrange: openTicket,
      provoke: (lone, world) =>
        lone.call(world, 'POST', `/api/integrations/pending/${world.id('turnId')}/approve`, {}),
    },
    'keys.key.resolve.v1': {
      ...inTurn,
      makeTrue: (answer, { question }) => withKey(answer, question, model()),
      answered: { first: 200, 'next-key': 200, none: 202, private: 200, 'of-an-agent': 200 },
    },
    'usage.quota.reserve.v1': { ...inTurn, answered: { first: 200, 'no-quota': 200, 'used-up': 202 } },
    'usage.turn.cost.v1': {
      arrange: async (lone, world) => {
        await answerOnce(lone, world);
        const [trace] = await lone.make(world, 'GET', '/api/context-traces');
        traceOf.set(world, trace.traceId);
      },
      provoke: (lone, world) => lone.call(world, 'GET', `/api/context-traces/${traceOf.get(world)}`),
      // It is told without its cost.
      absent: 200,
    },
  };
}

type KeyAnswer = Said<typeof resolveKey>['answer'];
type KeyQuestion = Said<typeof resolveKey>['question'];

/** What was sealed for somebody else long ago is sealed for who asks now, to be sent to the model. */
async function withKey(answer: KeyAnswer, { recipient }: KeyQuestion, model: FakeModel): Promise<KeyAnswer> {
  if (answer.sealedKey === null) return answer;
  const sealedKey = await sealFor(recipient, new Secret('sk-proj-0123456789abcdef'));
  return { ...answer, sealedKey, host: new URL(model.url).host };
}

/** Keys tells of a key when it was handed over: without that a failure of it is nobody's news. */
export async function playKey(lone: LoneService, world: World, model: FakeModel): Promise<void> {
  const [, dated] = samplesOf(resolveKey);
  await lone.neighbours.play(resolveKey, async (question) => ({
    ok: await withKey(world.said(dated!.said.answer), question as KeyQuestion, model),
  }));
}

/** That nothing restricts a bot is asked once and remembered, until tenancy says that something has changed. */
export const forgetsAdmission: Step = async (lone, world) => {
  await addBot()(lone, world);
  const asked = lone.neighbours.asked(admitMessages);
  const isAskedAgain = async () => {
    const before = asked.length;
    expect(await askBot(lone, world)).toEqual({ status: 200 });
    return asked.length > before;
  };
  await eventually('it is remembered that everybody is heard', async () => !(await isAskedAgain()));
  await lone.publish(authorizationChanged, { tenantId: world.tenantId });
  await eventually('who is heard is asked again', isAskedAgain);
};

/** That a tenant has no quota is asked once and remembered, until it gets one. */
export const forgetsQuota: Step = async (lone, world) => {
  await addBot()(lone, world);
  const asked = lone.neighbours.asked(reserveQuota);
  const none = { hasQuota: false, granted: true, reservationId: null, exceeded: [] };
  const script = lone.neighbours.scriptOf(reserveQuota);
  await lone.neighbours.play(reserveQuota, () => ({ ok: none }));
  const isAskedAgain = async () => {
    const before = asked.length;
    expect(await askBot(lone, world)).toEqual({ status: 200 });
    return asked.length > before;
  };
  await eventually('it is remembered that there is no quota', async () => !(await isAskedAgain()));
  await lone.publish(quotaChanged, { tenantId: world.tenantId });
  await eventually('the quota is asked for again', isAskedAgain);
  if (script) await lone.neighbours.play(reserveQuota, script);
};
