import { setTimeout as pause } from 'node:timers/promises';
import { startFakeTools } from '@botyard/testing/fake/fake-tools';
import { startFakeModel } from '@botyard/testing/fake-model';
import { createTenantWithPeople } from '@botyard/testing/people';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createAgent,
  createBot,
  startKeys,
  startTenancy,
  startUsage,
  type TestBot,
} from '../../../services/agents/test/agents-services.ts';
import {
  asAdmin,
  connectAccount,
  type IntegrationsFixture,
  putRule,
  toolEnv,
} from '../../../services/agents/test/integrations-fixture.ts';
import { printFigures } from '../rig/history.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { between, oneOf, seeded } from '../rig/random.ts';
import { ReleasedChats, replyOf } from './released-chats.ts';

const seed = Number(process.env.BOTYARD_MIX_SEED ?? 1);
const isFull = process.env.BOTYARD_FAULTS === 'full';
const { conversations, atOnce, leastKills } = isFull
  ? { conversations: 2000, atOnce: 200, leastKills: 10 }
  : { conversations: 60, atOnce: 30, leastKills: 3 };
const longestQuietMs = isFull ? 20_000 : 1500;
const targets = ['agents', 'postgres'] as const;

let postgres: OwnPostgres;
let fixture: IntegrationsFixture;
let running: Awaited<ReturnType<ServiceHarness['startProcess']>>;

async function startAgents(): Promise<void> {
  running = await fixture.harness.startProcess('agents', fixture.env);
  fixture.agents = running;
}

beforeAll(async () => {
  postgres = await OwnPostgres.start({ max_connections: '300' });
  const [harness, model, tools] = await Promise.all([
    ServiceHarness.open({ postgresUrl: postgres.url }),
    startFakeModel(),
    startFakeTools(),
  ]);
  const [tenancy, keys, usage] = [
    await startTenancy({ harness }),
    await startKeys({ harness, model }),
    await startUsage({ harness }),
  ];
  const env = { ...toolEnv(tools), PRIVATE_LLM_BASE_URL: model.url, AGENTS_RETRY_BASE_MS: '10' };
  running = await harness.startProcess('agents', env);
  const [acme, other] = [
    await createTenantWithPeople(harness, tenancy),
    await createTenantWithPeople(harness, tenancy),
  ];
  const close = async () => {
    await harness.close();
    await Promise.all([model.close(), tools.close()]);
  };
  fixture = { harness, model, tools, tenancy, keys, usage, agents: running, acme, other, env, close };
  await connectAccount(fixture, 'mail');
  await putRule(fixture, { effect: 'approval', toolkit: 'mail' });
});
afterAll(async () => {
  await fixture?.close();
  await postgres?.stop();
});

const kills = {
  async agents() {
    running.signal('SIGKILL');
    await running.ended;
    await startAgents();
  },
  async postgres() {
    await postgres.kill();
    await postgres.startAgain();
  },
};

/** A bot whose agent has a tool that needs an approval, in both of its versions. */
async function createAskingBot(name: string): Promise<TestBot> {
  const settings = { toolkit: 'mail', tool: 'MAIL_SEND' };
  const tool = { name, kind: 'external', settings };
  const { body } = await asAdmin(fixture, 'POST', '/api/definitions/tools', tool);
  const agentId = await createAgent(fixture, fixture.acme, { toolIds: [body.id] });
  return await createBot(fixture, fixture.acme, { agentIds: [agentId] });
}

/** Repeats a call of the API until it succeeds: a process may be away. */
async function insist(method: string, path: string, body: object): Promise<{ releaseId: string }> {
  for (;;) {
    const answer = await asAdmin(fixture, method, path, body).catch(() => undefined);
    if (answer && answer.status < 300) return answer.body;
    // The first of two attempts may have succeeded without an answer.
    if (answer?.status === 409) return { releaseId: '' };
    await pause(100);
  }
}

const approve = async (ticketId: string): Promise<boolean> => {
  const path = `/api/integrations/pending/${ticketId}/approve`;
  const answer = await asAdmin(fixture, 'POST', path).catch(() => undefined);
  return answer?.status === 200;
};

test(`release, seed ${seed}: while agents and Postgres are killed, no session has two versions but across the withdrawal, no approved call is made twice, and each message is counted once`, async () => {
  const tool = 'send_mail';
  const bot = await createAskingBot(tool);
  fixture.model.replyWith(replyOf(tool));
  const agent = `/api/definitions/agents/${bot.agentIds[0]}`;
  await insist('PUT', agent, { instructions: 'The second version.' });
  const { releaseId } = await insist('POST', `${agent}/releases`, { version: 1, share: 50 });
  const chats = new ReleasedChats(fixture.harness, bot, conversations);

  const random = seeded(seed);
  const killed: string[] = [];
  let isOver = false;
  const killing = (async () => {
    while (killed.length < leastKills || (isFull && !isOver)) {
      await pause(between(random, 0, longestQuietMs));
      const target = oneOf(random, targets);
      await kills[target]();
      killed.push(target);
    }
  })();
  const talking = (async () => {
    await chats.wave(1, { atOnce });
    await chats.approveAll(approve);
    await chats.wave(2, { atOnce });
    await insist('POST', `${agent}/releases/${releaseId}/withdraw`, { reason: 'Enough.' });
    await chats.wave(3, { atOnce });
    await chats.answered();
  })().finally(() => {
    isOver = true;
  });
  await Promise.all([talking, killing]);
  await chats.approveAll(approve);

  const verdict = await chats.verdict(fixture, releaseId);
  printFigures('release', { seed, conversations, kills: killed.length, ...verdict });
  expect(verdict).toMatchObject({
    sessions: conversations,
    mixed: 0,
    madeTwice: 0,
    messages: 3 * conversations,
    answeredTwice: 0,
    counted: verdict.answers,
  });
  expect(verdict.made).toBeGreaterThan(0);
  // Those of both versions ask: the tool is a part of each.
  expect(verdict.approvals).toBeGreaterThan(conversations / 20);
  // The candidate's sessions change with the withdrawal, and no others.
  expect(verdict.changed).toBe(verdict.candidate);
  expect(verdict.candidate).toBeGreaterThan(conversations / 4);
}, 2_400_000);
