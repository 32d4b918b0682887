import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeModel } from '@botyard/testing/fake-model';
import { createTenantWithPeople } from '@botyard/testing/people';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  createBot,
  startAgents,
  startKeys,
  startTenancy,
  startUsage,
  type TestBot,
} from '../agents-services.ts';
import { AskedChat } from './asked-chat.ts';

let services: AgentsServices;
let bot: TestBot;
let marks: string;

beforeAll(async () => {
  const [harness, model] = await Promise.all([ServiceHarness.open(), startFakeModel()]);
  marks = await mkdtemp(join(tmpdir(), 'botyard-questions-'));
  const [tenancy, keys, usage] = [
    await startTenancy({ harness }),
    await startKeys({ harness, model }),
    await startUsage({ harness }),
  ];
  const agents = await startAgents({ harness, model });
  const acme = await createTenantWithPeople(harness, tenancy);
  const close = async () => {
    await harness.close();
    await model.close();
  };
  services = { harness, model, tenancy, keys, usage, agents, acme, other: acme, close };
  bot = await createBot(services, acme, { asksForRating: true });
});
afterAll(async () => {
  await services?.close();
  await rm(marks, { recursive: true, force: true });
});

test.each(['agents.rating-question.before-commit', 'agents.rating-question.after-commit'])(
  'a process that is killed at %s: the question is asked once',
  async (point) => {
    const { harness, model } = services;
    const chat = await AskedChat.answered(services, bot);
    await services.agents.stop();
    const killed = await harness.startProcess('agents', {
      PRIVATE_LLM_BASE_URL: model.url,
      FAILPOINTS: `${point}:crash`,
      FAILPOINTS_DIR: marks,
    });
    await harness.asOwner('update agents.rating_questions set ready_at = now() where asked_at is null');
    expect((await killed.ended).signal).toBe('SIGKILL');
    expect(await chat.texts()).toHaveLength(point.endsWith('before-commit') ? 1 : 2);
    services.agents = await startAgents(services);
    if (point.endsWith('before-commit')) await chat.tenMinutesPass();
    await chat.asks('thanks');
    expect((await chat.texts()).filter((text) => text === 'Did that help you?')).toHaveLength(1);
    const events = await harness.asOwner('select from agents.outbox where data like $1 and data like $2', [
      `%${chat.conversationId}%`,
      '%Did that help you?%',
    ]);
    expect(events).toHaveLength(1);
  },
);
