import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engine, root } from '../support/engine.ts';
import { buildImages, Installation } from '../support/installation.ts';
import { faultless, SandboxChats } from '../support/sandbox-chats.ts';

/** `npm run test:deploy` leaves this file out where nothing names the command. */
const restartEngine = process.env.BOTYARD_DOCKER_RESTART ?? '';
const scaled = ['--scale', 'agents=4', '--scale', 'webhooks=2'];
const people = Array.from({ length: 20 }, (_, person) => person);
const turnsBefore = 5;
const installation = new Installation(engine, { name: 'engine', port: 3451 });

beforeAll(async () => {
  await buildImages(engine);
  await installation.remove();
  await installation.up(...scaled);
  await installation.waitUntilHealthy();
  await installation.waitForDemo();
});
afterAll(() => installation.remove());

test('an engine that is restarted while messages wait restarts every service automatically: 0 lost, 0 twice', async () => {
  const chats = new SandboxChats(installation.sandboxUrl);
  const sendBurst = () => Promise.all(people.map((person) => chats.say(person)));
  for (let turn = 0; turn < turnsBefore; turn += 1) await sendBurst();
  await promisify(execFile)('bash', ['-c', restartEngine], { cwd: root });
  await installation.waitUntilHealthy();
  // An engine doesn't restart the stand-in for platforms and models: messages that waited for a model get an apology.
  await installation.up(...scaled);
  await installation.waitUntilHealthy();
  await sendBurst();
  await eventually('every message has an answer', async () => {
    const counts = await Promise.all(people.map((person) => chats.countAnswers(person)));
    return counts.every((count) => count >= turnsBefore + 1);
  });
  const verdict = await chats.settle(0);
  const answers = await Promise.all(people.map((person) => chats.countAnswers(person)));
  process.stdout.write(
    `${chats.count} messages around a restart of the engine, ${verdict.lost.length} answered with an apology\n`,
  );
  expect(answers).toEqual(people.map(() => turnsBefore + 1));
  expect({ ...verdict, lost: [] }).toEqual(faultless);
});
