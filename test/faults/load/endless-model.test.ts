import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printFigures } from '../rig/history.ts';
import { type Process, TestSystem } from '../rig/test-system.ts';

const modelTimeoutMs = 3000;
const byteEveryMs = 200;

let system: TestSystem;
let webhooks: Process;
beforeAll(async () => {
  system = await TestSystem.open();
  webhooks = await system.startWebhooks();
}, 120_000);
afterAll(() => system?.close());

/** A model that answers for ever, one byte after the other. */
async function startEndlessModel() {
  let open = 0;
  const server = createServer((req, res) => {
    req.resume();
    open += 1;
    res.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => res.write(' '), byteEveryMs);
    res.on('close', () => {
      open -= 1;
      clearInterval(timer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close, openCount: () => open };
}

test('F-75: a model that sends a byte now and then forever: the call ends at its deadline, the person gets an apology, nothing stays open', async () => {
  const model = await startEndlessModel();
  const agents = await system.startAgents({
    PRIVATE_LLM_BASE_URL: `${model.url}/v1`,
    MODEL_TIMEOUT_MS: String(modelTimeoutMs),
  });
  const bot = await system.createBot(agents);
  const beganAt = performance.now();
  await system.say(webhooks, bot, { chat: 1, number: 1 });
  await eventually('the person is told', () => system.history.answerCount === 1, { timeoutMs: 110_000 });
  const toldMs = Math.round(performance.now() - beganAt);
  await eventually('no call stays open', () => model.openCount() === 0);
  printFigures('F-75', { 'deadline ms': modelTimeoutMs, 'told after ms': toldMs });
  expect(toldMs).toBeGreaterThan(modelTimeoutMs);
  await agents.stop();
  model.close();
});
