import type { DataOf, EventType, SignalType } from '@botyard/contracts/events/definition';
import { eventually } from '@botyard/testing/eventually';
import { samplesOf } from '@botyard/testing/samples';
import { validate } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { LoneService } from './lone-service.ts';
import { refusalOf } from './neighbours.ts';
import type { ConsumeCase, Step } from './tables.ts';

/** No such event was ever published. */
const unreadable = ['no JSON', '[]', '{"tenantId":7}'];

/** Every sample that was ever accepted is handled; an unreadable event becomes a dead letter immediately. */
export function checkConsumer(lone: () => LoneService, event: EventType, consume: ConsumeCase): void {
  describe(event.name, () => {
    test.each(samplesOf<EventType>(event).map(({ title, said }, place) => [title, said, place] as const))(
      'the sample `%s` is handled',
      async (_title, said, place) => {
        const world = lone().newWorld();
        await consume.arrange?.(lone(), world);
        const { today = (whole: unknown) => whole } = place === 0 ? consume : {};
        const eventId = await lone().publish(event, today(world.said(said)));
        expect(await lone().fateOf(eventId)).toBe('taken');
        if (place > 0) return;
        await eventually(`${event.name} has its effect`, () => consume.effect(lone(), world));
      },
    );

    test('an unknown field is accepted', async () => {
      const world = lone().newWorld();
      await consume.arrange?.(lone(), world);
      const [first] = samplesOf<EventType>(event);
      const written = { ...(world.said(first!.said) as object), addedLater: { by: 'a newer one' } };
      expect(await lone().fateOf(await lone().publish(event, written))).toBe('taken');
    });

    test.each(unreadable)('%s becomes a dead letter immediately', async (text) => {
      expect(await lone().fateOf(await lone().publish(event, text))).toMatch(/^dead: /);
    });
  });
}

/** Cached data about the first sample is dropped; an unreadable event does no harm. */
export function checkWatcher(lone: () => LoneService, event: EventType, isDropped: Step): void {
  test(event.name, async () => {
    for (const text of unreadable) await lone().publish(event, text);
    await isDropped(lone(), lone().newWorld());
    expect(lone().hasLostBus).toBe(false);
  });
}

/** An event that the service really publishes matches its schema completely, on the subject that follows from it. */
export function checkPublisher(lone: () => LoneService, event: EventType, cause: Step): void {
  test(event.name, async () => {
    const world = lone().newWorld();
    await cause(lone(), world);
    const [found] = await eventually(`${event.name} is published`, () => {
      const own = lone()
        .published(event)
        .filter(
          ({ said }) =>
            JSON.stringify(said).includes(world.tenantId) || JSON.stringify(said).includes(world.tag),
        );
      return own.length > 0 && own;
    });
    expectFaithful(lone(), event, found!);
  });
}

type Published = ReturnType<LoneService['published']>[number];

function expectFaithful(lone: LoneService, event: EventType, { said, subject, messageId }: Published): void {
  expect(event.schema.parse(said), subject).toEqual(said);
  const { names } = lone.server.busAs(event.owner);
  expect(subject).toBe(names.event(event, said as DataOf<EventType> & object));
  expect(validate(messageId), subject).toBe(true);
}

/** Checks everything that was published while these tests ran, for any reason. */
export function checkAllPublished(lone: () => LoneService, events: readonly EventType[]): void {
  test('everything that the service has published matches its schema', () => {
    const { names } = lone().server.busAs(lone().name);
    const prefix = `${names.namespace}.event.${lone().name}.`;
    const known = new Set(events.map(({ name }) => name));
    const all = lone().neighbours.told.filter(({ subject }) => subject.startsWith(prefix));
    const unknown = all.filter(
      ({ subject }) =>
        subject !== names.canary(lone().name) && !known.has(names.eventNameOf(subject) as never),
    );
    expect(unknown).toEqual([]);
    for (const event of events)
      for (const found of lone().published(event)) expectFaithful(lone(), event, found);
  });
}

export function checkForeignEvents(lone: () => LoneService, events: readonly EventType[]): void {
  test('NATS denies it every publication in the name of another', async () => {
    const { server, name } = lone();
    for (const event of events.filter(({ owner }) => owner !== name)) {
      const subject = server.busAs(name).names.event(event, {});
      expect(await refusalOf(server, name, subject), event.name).toMatch(/permission/i);
    }
  });
}

/** A hint may be lost, and one that can't be read is; nothing else happens. */
export function checkListener(lone: () => LoneService, signal: SignalType, isHeard: Step): void {
  test(signal.name, async () => {
    for (const text of unreadable) lone().hint(signal, text);
    await isHeard(lone(), lone().newWorld());
    expect(lone().hasLostBus).toBe(false);
  });
}

/** A hint that the service sends matches its schema completely. */
export function checkSignal(lone: () => LoneService, signal: SignalType, cause: Step): void {
  test(signal.name, async () => {
    const world = lone().newWorld();
    await cause(lone(), world);
    const { names } = lone().server.busAs(signal.owner);
    const hint = await eventually(`${signal.name} is said`, () =>
      lone().neighbours.told.find(
        ({ subject, text }) => subject === names.signal(signal) && text.includes(world.id('botId')),
      ),
    );
    const said: unknown = JSON.parse(hint.text);
    expect(signal.schema.parse(said)).toEqual(said);
  });
}
