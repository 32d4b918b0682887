import { randomUUID } from 'node:crypto';
import { quotaWarned } from '@botyard/contracts/events/usage';
import { registrationChanged } from '@botyard/contracts/events/webhooks';
import { EventReader, type HeardEvent } from '@botyard/testing/event-reader';
import { eventually } from '@botyard/testing/eventually';
import { firstSample } from '@botyard/testing/samples';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices, startAgents } from '../../agents-services.ts';

let services: AgentsServices;
const each = 150;

beforeAll(async () => {
  services = await openAgentsServices();
});
afterAll(() => services?.close());

/** Two streams of the bus are written to, each event with its number. */
async function publish(from: number, count: number, { tenantId } = services.acme): Promise<void> {
  const registration = { ...firstSample(registrationChanged), tenantId, integrationId: randomUUID() };
  for (let number = from; number < from + count; number += 1) {
    await services.harness.publish(registrationChanged, { ...registration, pendingUpdates: number });
    await services.harness.publish(quotaWarned, { ...firstSample(quotaWarned), tenantId, used: number });
  }
}

const numbersOf = (heard: readonly HeardEvent[]) => ({
  webhooks: heard.flatMap(({ data }) => data.registration?.pendingUpdates ?? []),
  usage: heard.flatMap(({ data }) => data.used ?? []),
});
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const isAll = (heard: readonly HeardEvent[]) => heard.length >= 2 * each || undefined;

test('a stream that is resumed repeatedly while events arrive sends each of them once, in order', async () => {
  const as = services.acme.admin;
  const other = await startAgents(services);
  const processes = [services.agents, other];
  const opened = await Promise.all(processes.map((process) => EventReader.open(process, { as })));
  const [steady] = opened as [EventReader, EventReader];
  // A stream begins with its first event, and each process has to notice that: until then it continues nobody.
  await publish(0, 1);
  await eventually('both follow the streams', () => opened.every(({ heard: found }) => found.length >= 2));
  opened[1]?.close();
  const heard: HeardEvent[] = [];
  let lives = 0;
  let reader = await EventReader.open(services.agents, { as });
  const publishing = publish(1, each);
  await eventually('all is heard', async () => {
    const { heard: found } = reader;
    if (found.length === 0) return undefined;
    reader.close();
    heard.push(...found.splice(0));
    if (isAll(heard)) return true;
    lives += 1;
    const lastEventId = heard.at(-1)!.id;
    reader = await EventReader.open(processes[lives % 2]!, { as, lastEventId });
    return undefined;
  });
  await publishing;
  await eventually('the one that stays hears all, too', () => isAll(steady.heard.slice(2)));
  steady.close();
  await other.stop();
  expect(lives).toBeGreaterThan(5);
  const whole = numbers(1, each);
  expect(numbersOf(steady.heard.slice(2))).toEqual({ webhooks: whole, usage: whole });
  expect(numbersOf(heard)).toEqual({ webhooks: whole, usage: whole });
  expect(heard).toHaveLength(2 * each);
});

test('clients that reconnect together each receive their missed events, and nothing of another tenant', async () => {
  const as = services.acme.admin;
  const first = await EventReader.open(services.agents, { as });
  await publish(0, 10);
  await publish(1000, 3, services.other);
  await eventually('it is heard', () => first.heard.length >= 20 || undefined);
  first.close();
  const lefts = first.heard.slice(0, 18);
  const readers = await Promise.all(
    lefts.map(({ id }) => EventReader.open(services.agents, { as, lastEventId: id })),
  );
  const foreign = await EventReader.open(services.agents, {
    as: services.other.admin,
    lastEventId: lefts[0]!.id,
  });
  await publish(10, 1);
  await publish(1003, 1, services.other);
  for (const [index, reader] of readers.entries()) {
    const rest = first.heard.slice(index + 1);
    await eventually('the last one is heard', () => reader.heard.length >= rest.length + 2 || undefined);
    expect(numbersOf(reader.heard.slice(0, -2))).toEqual(numbersOf(rest));
    expect(numbersOf(reader.heard.slice(-2))).toEqual({ webhooks: [10], usage: [10] });
    reader.close();
  }
  await eventually('the other tenant hears its own', () => foreign.heard.length >= 8 || undefined);
  foreign.close();
  expect(numbersOf(foreign.heard)).toEqual({ webhooks: numbers(1000, 4), usage: numbers(1000, 4) });
});
