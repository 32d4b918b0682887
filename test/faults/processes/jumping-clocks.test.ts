import { jumpingClock } from '@botyard/testing/skewed-clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, tell } from '../rig/history.ts';
import { HealthGateway } from '../rig/signs.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

const messagesPerSecond = process.env.BOTYARD_FAULTS === 'full' ? 10 : 5;
const hourMs = 3600_000;
const timeoutMs = 280_000;

let town: Town;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
let bot: TownBot;
let crowds = 0;

beforeAll(async () => {
  town = await Town.open();
  const clock = jumpingClock([hourMs, -hourMs, 0]);
  [agents, webhooks] = await Promise.all([town.startAgents(clock), town.startWebhooks(clock)]);
  health = await HealthGateway.start({ webhooks, agents });
  bot = await town.createBot(agents);
}, 240_000);
afterAll(async () => {
  await health?.stop();
  await town?.close();
}, 60_000);

test.each([
  // Requests of other services keep working: only people's requests have times that are compared.
  { name: 'agents', process: () => agents, isHeard: true },
  // Deliveries are refused meanwhile, and retried.
  { name: 'webhooks', process: () => webhooks, isHeard: false },
])(
  'F-77: the clock of $name jumps by an hour under load, forward, back and right again: it shows, and nothing is lost, sent twice or out of order',
  async ({ name, process, isHeard }) => {
    const crowd = town.crowd([bot], () => webhooks, {
      chats: 20,
      firstChat: 1 + 1000 * crowds++,
      messagesPerSecond,
    });
    crowd.start();
    await crowd.hears(messagesPerSecond);
    const shown: number[] = [];
    for (const side of ['ahead of', 'behind']) {
      // Some are being answered, and some answers are being sent, when it happens.
      town.model.hang();
      if (isHeard) await crowd.accepts(messagesPerSecond, crowd.acceptedCount);
      const told = health.shows(process(), 'clock');
      process().signal('SIGUSR2');
      town.model.release();
      if (isHeard) await crowd.hears(2 * messagesPerSecond);
      const { shownMs, line } = await told;
      expect(line).toMatch(new RegExp(`clock is \\d+ s ${side}`));
      shown.push(shownMs);
    }
    process().signal('SIGUSR2');
    const wellMs = await health.isOver(process());
    await crowd.hears(messagesPerSecond);
    await crowd.stop();
    const verdict = await town.verdict(crowd.history);
    tell('F-77', {
      ...verdict,
      clock: name,
      'shown after ms': shown.join(' and '),
      'well again after ms': wellMs,
      'not accepted at once': crowd.refusals.length,
      'slowest answer ms': Math.round(crowd.slowestAnswerMs),
    });
    expect(verdict).toMatchObject(faultless);
    if (isHeard) expect(crowd.refusals).toEqual([]);
  },
  timeoutMs,
);
