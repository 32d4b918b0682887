import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { events } from '@botyard/contracts/events/catalogue';
import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watch } from '../../src/bus/broadcast.ts';
import { eraseFromStream } from '../../src/bus/erase-events.ts';
import { consumedOwners, objectKeepers } from '../../src/bus/permissions.ts';
import { createNatsObjects } from '../../src/files/objects/nats-objects.ts';
import { serviceNames } from '../../src/system/subjects.ts';
import { type Installation, names, openInstallation, owners } from './attacks/installation.ts';

/** The work of services with their logins, in the accounts of an installation. */
let installation: Installation;
beforeAll(async () => {
  installation = await openInstallation();
});
afterAll(() => installation?.close());

const busOf = (service: (typeof serviceNames)[number]) => installation.buses.get(service)!;

test.each(owners)(
  'S-12: an erasure removes events from the own stream of %s, and no others',
  async (service) => {
    const bus = busOf(service);
    const event = events.find(({ owner }) => owner === service)!;
    const subject = names.event(event, {});
    const publish = (word: string) => bus.live().jetstream.publish(subject, JSON.stringify({ word }));
    const [{ seq: erasedSeq }, { seq: keptSeq }] = [await publish('erased'), await publish('kept')];
    const erasure = {
      subjects: [subject],
      fateOf: (data: unknown) =>
        (data as { word?: string }).word === 'erased' ? ('erase' as const) : ('keep' as const),
      consumer: 'agents',
      deadline: Date.now() + 10_000,
    };
    expect(await eraseFromStream(bus, erasure)).toEqual({ erased: 1, isDone: true });
    const stored = (seq: number) => bus.live().manager.streams.getMessage(names.stream(service), { seq });
    expect([await stored(erasedSeq), (await stored(keptSeq))?.json()]).toEqual([null, { word: 'kept' }]);
  },
);

test('S-12: every service that follows tenancy can watch its events', async () => {
  const watchers = serviceNames.filter((service) => consumedOwners[service]?.includes('tenancy'));
  const heard: string[] = [];
  let ready = 0;
  for (const service of watchers)
    watch(busOf(service), authorizationChanged, {
      onEvent: () => heard.push(service),
      onGap: () => {
        ready += 1;
      },
    });
  await eventually('they follow', () => ready === watchers.length);
  await busOf('tenancy')
    .live()
    .jetstream.publish(
      names.event(authorizationChanged, {}),
      JSON.stringify({ tenantId: crypto.randomUUID() }),
    );
  await eventually('each hears it', () => heard.length >= watchers.length);
  expect(heard.toSorted()).toEqual(watchers.toSorted());
});

test('S-12: every service that keeps files reads those of the others', async () => {
  const keepers = serviceNames.filter((service) => objectKeepers.includes(service));
  const storeOf = (service: (typeof keepers)[number]) =>
    createNatsObjects(busOf(service), { maxBytes: 32 * 1024 ** 2 });
  for (const keeper of keepers) {
    const bytes = Buffer.from(`a file of ${keeper}`);
    await storeOf(keeper).put(`tenant/${keeper}`, Readable.from([bytes]), {
      sizeBytes: bytes.length,
      sha256: '',
    });
  }
  for (const reader of keepers)
    for (const keeper of keepers) {
      const content = await storeOf(reader).get(`tenant/${keeper}`);
      expect(await text(content!), `${reader} reads ${keeper}`).toBe(`a file of ${keeper}`);
    }
});
