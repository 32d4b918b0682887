import type { DataOf, EventType, SignalType } from '@botyard/contracts/events/definition';
import { eventually } from '@botyard/testing/eventually';
import { samplesOf } from '@botyard/testing/samples';
import { validate } from 'uuid';
import { describe, expect, test } from 'vitest';
import { refusalOf } from './fake-services.ts';
import type { ServiceUnderTest } from './service-under-test.ts';
import type { ConsumeCase, Step } from './tables.ts';

/** No such event was ever published. */
const unreadable = ['no JSON', '[]', '{"tenantId":7}'];

/** Every sample that was ever accepted is handled; an unreadable event becomes a dead letter immediately. */
export function checkConsumer(sut: () => ServiceUnderTest, event: EventType, consume: ConsumeCase): void {
  describe(event.name, () => {
    test.each(
      samplesOf<EventType>(event).map(({ title, payload }, place) => [title, payload, place] as const),
    )('the sample `%s` is handled', async (_title, payload, place) => {
      const tenant = sut().newTenant();
      await consume.arrange?.(sut(), tenant);
      const { today = (whole: unknown) => whole } = place === 0 ? consume : {};
      const eventId = await sut().publish(event, today(tenant.withOwnIds(payload)));
      expect(await sut().outcomeOf(eventId)).toBe('taken');
      if (place > 0) return;
      await eventually(`${event.name} has its effect`, () => consume.effect(sut(), tenant));
    });

    test('an unknown field is accepted', async () => {
      const tenant = sut().newTenant();
      await consume.arrange?.(sut(), tenant);
      const [first] = samplesOf<EventType>(event);
      const written = { ...(tenant.withOwnIds(first!.payload) as object), addedLater: { by: 'a newer one' } };
      expect(await sut().outcomeOf(await sut().publish(event, written))).toBe('taken');
    });

    test.each(unreadable)('%s becomes a dead letter immediately', async (text) => {
      expect(await sut().outcomeOf(await sut().publish(event, text))).toMatch(/^dead: /);
    });
  });
}

/** Cached data about the first sample is dropped; an unreadable event does no harm. */
export function checkWatcher(sut: () => ServiceUnderTest, event: EventType, isDropped: Step): void {
  test(event.name, async () => {
    for (const text of unreadable) await sut().publish(event, text);
    await isDropped(sut(), sut().newTenant());
    expect(sut().hasLostBus).toBe(false);
  });
}

/** An event that the service really publishes matches its schema completely, on the subject that follows from it. */
export function checkPublisher(sut: () => ServiceUnderTest, event: EventType, cause: Step): void {
  test(event.name, async () => {
    const tenant = sut().newTenant();
    await cause(sut(), tenant);
    const [found] = await eventually(`${event.name} is published`, () => {
      const own = sut()
        .published(event)
        .filter(
          ({ payload }) =>
            JSON.stringify(payload).includes(tenant.tenantId) || JSON.stringify(payload).includes(tenant.tag),
        );
      return own.length > 0 && own;
    });
    expectFaithful(sut(), event, found!);
  });
}

type Published = ReturnType<ServiceUnderTest['published']>[number];

function expectFaithful(
  sut: ServiceUnderTest,
  event: EventType,
  { payload, subject, messageId }: Published,
): void {
  expect(event.schema.parse(payload), subject).toEqual(payload);
  const { names } = sut.server.busAs(event.owner);
  expect(subject).toBe(names.event(event, payload as DataOf<EventType> & object));
  expect(validate(messageId), subject).toBe(true);
}

/** Checks everything that was published while these tests ran, for any reason. */
export function checkAllPublished(sut: () => ServiceUnderTest, events: readonly EventType[]): void {
  test('everything that the service has published matches its schema', () => {
    const { names } = sut().server.busAs(sut().name);
    const prefix = `${names.namespace}.event.${sut().name}.`;
    const eventNames = new Set(events.map(({ name }) => name));
    const all = sut().fakes.published.filter(({ subject }) => subject.startsWith(prefix));
    const unknown = all.filter(
      ({ subject }) =>
        subject !== names.canary(sut().name) && !eventNames.has(names.eventNameOf(subject) as never),
    );
    expect(unknown).toEqual([]);
    for (const event of events)
      for (const published of sut().published(event)) expectFaithful(sut(), event, published);
  });
}

export function checkForeignEvents(sut: () => ServiceUnderTest, events: readonly EventType[]): void {
  test('NATS denies it every publication in the name of another', async () => {
    const { server, name } = sut();
    for (const event of events.filter(({ owner }) => owner !== name)) {
      const subject = server.busAs(name).names.event(event, {});
      expect(await refusalOf(server, name, subject), event.name).toMatch(/permission/i);
    }
  });
}

/** A hint may be lost, and one that can't be read is; nothing else happens. */
export function checkListener(sut: () => ServiceUnderTest, signal: SignalType, isHeard: Step): void {
  test(signal.name, async () => {
    for (const text of unreadable) sut().hint(signal, text);
    await isHeard(sut(), sut().newTenant());
    expect(sut().hasLostBus).toBe(false);
  });
}

/** A hint that the service sends matches its schema completely. */
export function checkSignal(sut: () => ServiceUnderTest, signal: SignalType, cause: Step): void {
  test(signal.name, async () => {
    const tenant = sut().newTenant();
    await cause(sut(), tenant);
    const { names } = sut().server.busAs(signal.owner);
    const hint = await eventually(`${signal.name} is said`, () =>
      sut().fakes.published.find(
        ({ subject, text }) => subject === names.signal(signal) && tenant.isNamedIn(text),
      ),
    );
    const payload: unknown = JSON.parse(hint.text);
    expect(signal.schema.parse(payload)).toEqual(payload);
  });
}
