import { natsPermissions } from '@botyard/shared/bus/permissions';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { NatsUser } from '../../../tools/embedded/nats-server.ts';
import { HealthGateway } from '../rig/health-gateway.ts';
import { faultless, printFigures } from '../rig/history.ts';
import type { LoadGenerator } from '../rig/load-generator.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const messagesPerSecond = 5;
const timeoutMs = 280_000;
const everything = { publish: ['>'], subscribe: ['>'] };

let nats: OwnNats;
let system: TestSystem;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
let bot: ConnectedBot;
let loads = 0;
let load: LoadGenerator;

/** The users of the server; `changed` is an operator's change of the agents user. */
const users = (changed: Partial<NatsUser> = {}): NatsUser[] => [
  { user: 'admin', password: 'admin', ...everything },
  {
    user: 'webhooks',
    password: 'first',
    ...natsPermissions(system?.harness.namespace ?? 'none', 'webhooks'),
  },
  {
    user: 'agents',
    password: 'first',
    ...natsPermissions(system?.harness.namespace ?? 'none', 'agents'),
    ...changed,
  },
];

beforeAll(async () => {
  nats = await OwnNats.start(users(), { userWithoutLogin: 'admin' });
  system = await TestSystem.open({ natsUrl: nats.url });
  await nats.changeUsers(users());
  const login = (service: string) => ({ NATS_USER: service, NATS_PASSWORD: 'first' });
  [agents, webhooks] = await Promise.all([
    system.startAgents(login('agents')),
    system.startWebhooks(login('webhooks')),
  ]);
  health = await HealthGateway.start({ webhooks, agents });
  bot = await system.createBot(agents);
}, 240_000);
afterEach(() => load?.stopSending(), timeoutMs);
afterAll(async () => {
  await health?.stop();
  await system?.close();
  await nats?.stop();
}, 60_000);

function startCrowd(): void {
  load = system.createLoad([bot], () => webhooks, {
    chats: 20,
    firstChat: 1 + 1000 * loads++,
    messagesPerSecond,
  });
  load.start();
}

/** Only answers to the process's own requests are still received: they arrive on the first of these subjects. */
const hearsNothing = (): Partial<NatsUser> => ({
  subscribe: natsPermissions(system.harness.namespace, 'agents').subscribe.slice(0, 1),
});

test.each([
  [
    'F-63: the password of a service is changed on nats-server: named within 10 s, every delivery is 200, and all goes on with the old one back',
    () => ({ password: 'second' }),
    'bus',
    /Authorization Violation.*NATS_PASSWORD/i,
  ],
  [
    'F-64: a service may no longer hear what it is asked: named within 10 s, and it hears again once it may',
    hearsNothing,
    'hearing',
    /Permissions Violation.*permissions that this version needs/,
  ],
])(
  '%s',
  async (name, change, part, words) => {
    startCrowd();
    await load.untilAnswered(messagesPerSecond);
    await nats.changeUsers(users(change()));
    const { shownMs, line } = await health.untilStallShown(agents, part);
    expect(line).toMatch(words);
    await nats.changeUsers(users());
    const wellMs = await health.untilRecovered(agents);
    await load.untilAnswered(messagesPerSecond);
    await load.stop();
    await eventually('a question is answered', async () => {
      const { status } = await agents.call('GET', '/api/definitions/agents', { as: system.people.admin });
      return status === 200;
    });
    const verdict = await system.verdict(load.history);
    printFigures(name.slice(0, 4), {
      ...verdict,
      change: part,
      'shown after ms': shownMs,
      'well again after ms': wellMs,
    });
    expect(verdict).toMatchObject(faultless);
    expect(load.refusals).toEqual([]);
  },
  timeoutMs,
);

const rightsOf = () => natsPermissions(system.harness.namespace, 'agents').publish;

test.each([
  [
    'F-64: a service may no longer publish, while it has nothing to say: named within 10 s, and nothing of what comes then is lost',
    () => ({ publish: rightsOf().filter((subject) => subject.startsWith('$SYS.')) }),
    'publishing',
    /Permissions Violation.*user agents may publish/,
  ],
  [
    'F-64: a service may no longer ask and acknowledge, while it has nothing to do: named within 10 s, and nothing of what comes then is lost',
    () => ({ publish: rightsOf().filter((subject) => !/\.request\.|\$JS\.ACK/.test(subject)) }),
    'permissions',
    /doesn't let the service publish to .*\.request\..* and \d+ more.*permissions that this version needs/,
  ],
])(
  '%s',
  async (_name, change, part, words) => {
    await nats.changeUsers(users(change()));
    const { shownMs, line } = await health.untilStallShown(agents, part);
    expect(line).toMatch(words);
    startCrowd();
    await load.untilAccepted(2 * messagesPerSecond, 0);
    await nats.changeUsers(users());
    const wellMs = await health.untilRecovered(agents);
    await load.untilAnswered(messagesPerSecond);
    await load.stop();
    const verdict = await system.verdict(load.history);
    printFigures('F-64', {
      ...verdict,
      change: part,
      'shown after ms': shownMs,
      'well again after ms': wellMs,
    });
    expect(verdict).toMatchObject(faultless);
    expect(load.refusals).toEqual([]);
  },
  timeoutMs,
);
