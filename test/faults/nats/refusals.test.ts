import { natsPermissions } from '@botyard/shared/bus/permissions';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { NatsUser } from '../../../tools/embedded/nats-server.ts';
import type { Crowd } from '../rig/crowd.ts';
import { faultless, tell } from '../rig/history.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { HealthGateway } from '../rig/signs.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

const messagesPerSecond = 5;
const timeoutMs = 280_000;
const everything = { publish: ['>'], subscribe: ['>'] };

let nats: OwnNats;
let town: Town;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
let bot: TownBot;
let crowds = 0;
let crowd: Crowd;

/** The users of the server; `changed` is an operator's change of the agents user. */
const users = (changed: Partial<NatsUser> = {}): NatsUser[] => [
  { user: 'admin', password: 'admin', ...everything },
  { user: 'webhooks', password: 'first', ...natsPermissions(town?.harness.namespace ?? 'none', 'webhooks') },
  {
    user: 'agents',
    password: 'first',
    ...natsPermissions(town?.harness.namespace ?? 'none', 'agents'),
    ...changed,
  },
];

beforeAll(async () => {
  nats = await OwnNats.start(users(), { userWithoutLogin: 'admin' });
  town = await Town.open({ natsUrl: nats.url });
  await nats.changeUsers(users());
  const login = (service: string) => ({ NATS_USER: service, NATS_PASSWORD: 'first' });
  [agents, webhooks] = await Promise.all([
    town.startAgents(login('agents')),
    town.startWebhooks(login('webhooks')),
  ]);
  health = await HealthGateway.start({ webhooks, agents });
  bot = await town.createBot(agents);
}, 240_000);
afterEach(() => crowd?.fallsSilent(), timeoutMs);
afterAll(async () => {
  await health?.stop();
  await town?.close();
  await nats?.stop();
}, 60_000);

function startCrowd(): void {
  crowd = town.crowd([bot], () => webhooks, { chats: 20, firstChat: 1 + 1000 * crowds++, messagesPerSecond });
  crowd.start();
}

/** Only answers to the process's own requests are still received: they arrive on the first of these subjects. */
const hearsNothing = (): Partial<NatsUser> => ({
  subscribe: natsPermissions(town.harness.namespace, 'agents').subscribe.slice(0, 1),
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
    await crowd.hears(messagesPerSecond);
    await nats.changeUsers(users(change()));
    const { shownMs, line } = await health.shows(agents, part);
    expect(line).toMatch(words);
    await nats.changeUsers(users());
    const wellMs = await health.isOver(agents);
    await crowd.hears(messagesPerSecond);
    await crowd.stop();
    await eventually('a question is answered', async () => {
      const { status } = await agents.call('GET', '/api/definitions/agents', { as: town.people.admin });
      return status === 200;
    });
    const verdict = await town.verdict(crowd.history);
    tell(name.slice(0, 4), {
      ...verdict,
      change: part,
      'shown after ms': shownMs,
      'well again after ms': wellMs,
    });
    expect(verdict).toMatchObject(faultless);
    expect(crowd.refusals).toEqual([]);
  },
  timeoutMs,
);

const rightsOf = () => natsPermissions(town.harness.namespace, 'agents').publish;

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
    const { shownMs, line } = await health.shows(agents, part);
    expect(line).toMatch(words);
    startCrowd();
    await crowd.accepts(2 * messagesPerSecond, 0);
    await nats.changeUsers(users());
    const wellMs = await health.isOver(agents);
    await crowd.hears(messagesPerSecond);
    await crowd.stop();
    const verdict = await town.verdict(crowd.history);
    tell('F-64', { ...verdict, change: part, 'shown after ms': shownMs, 'well again after ms': wellMs });
    expect(verdict).toMatchObject(faultless);
    expect(crowd.refusals).toEqual([]);
  },
  timeoutMs,
);
