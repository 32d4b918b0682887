import { jumpingClock } from '@botyard/testing/skewed-clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HealthGateway } from '../rig/health-gateway.ts';
import { faultless, printFigures } from '../rig/history.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const messagesPerSecond = process.env.BOTYARD_FAULTS === 'full' ? 10 : 5;
const hourMs = 3600_000;
const timeoutMs = 280_000;

let system: TestSystem;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
let bot: ConnectedBot;
let loads = 0;

beforeAll(async () => {
  system = await TestSystem.open();
  const clock = jumpingClock([hourMs, -hourMs, 0]);
  [agents, webhooks] = await Promise.all([system.startAgents(clock), system.startWebhooks(clock)]);
  health = await HealthGateway.start({ webhooks, agents });
  bot = await system.createBot(agents);
}, 240_000);
afterAll(async () => {
  await health?.stop();
  await system?.close();
}, 60_000);

test.each([
  // Requests of other services keep working: only people's requests have times that are compared.
  { name: 'agents', process: () => agents, isHeard: true },
  // Deliveries are refused meanwhile, and retried.
  { name: 'webhooks', process: () => webhooks, isHeard: false },
])(
  'F-77: the clock of $name jumps by an hour under load, forward, back and right again: it shows, and nothing is lost, sent twice or out of order',
  async ({ name, process, isHeard }) => {
    const load = system.createLoad([bot], () => webhooks, {
      chats: 20,
      firstChat: 1 + 1000 * loads++,
      messagesPerSecond,
    });
    load.start();
    await load.untilAnswered(messagesPerSecond);
    const shown: number[] = [];
    for (const side of ['ahead of', 'behind']) {
      // Some are being answered, and some answers are being sent, when it happens.
      system.model.hang();
      if (isHeard) await load.untilAccepted(messagesPerSecond, load.acceptedCount);
      const reported = health.untilStallShown(process(), 'clock');
      process().signal('SIGUSR2');
      system.model.release();
      if (isHeard) await load.untilAnswered(2 * messagesPerSecond);
      const { shownMs, line } = await reported;
      expect(line).toMatch(new RegExp(`clock is \\d+ s ${side}`));
      shown.push(shownMs);
    }
    process().signal('SIGUSR2');
    const wellMs = await health.untilRecovered(process());
    await load.untilAnswered(messagesPerSecond);
    await load.stop();
    const verdict = await system.verdict(load.history);
    printFigures('F-77', {
      ...verdict,
      clock: name,
      'shown after ms': shown.join(' and '),
      'well again after ms': wellMs,
      'not accepted at once': load.refusals.length,
      'slowest answer ms': Math.round(load.slowestAnswerMs),
    });
    expect(verdict).toMatchObject(faultless);
    if (isHeard) expect(load.refusals).toEqual([]);
  },
  timeoutMs,
);
