import { events, requests, signals } from '@botyard/contracts/events/catalogue';
import { consumedOwners } from '@botyard/shared/bus/permissions';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  consumerTables,
  type Definition,
  defined,
  filesInNameOf,
  filesOf,
  findDefinition,
  modules,
  using,
} from './support/bus-definitions.ts';
import { callsOf, emittedIn, importersOf } from './support/bus-use.ts';
import { filesAt, services, sharedSources } from './support/sources.ts';

const catalogue: readonly Definition[] = [...events, ...requests, ...signals];

describe('the catalogue', () => {
  test('lists every definition that the events export, and nothing else', () => {
    expect(new Set(catalogue.map(({ name }) => name))).toEqual(
      new Set([...defined.values()].map(({ name }) => name)),
    );
    const files = filesAt(/^libs\/contracts\/src\/events\/.*\.ts$/);
    const written = files.flatMap(({ text }) => text.match(/\bdefine(?:Event|Request|Signal)\(/g) ?? []);
    expect(written.length).toBe(catalogue.length);
  });

  test('has no name twice', () => {
    const names = catalogue.map(({ name }) => name);
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  });

  test.each([...defined])(
    '%s is named <owner>.<thing>.<what happened>.v<n> in the file of its owner',
    (key, definition) => {
      expect(definition.name).toMatch(/^[a-z]+\.[a-z]+\.[a-z]+\.v[1-9]\d*$/);
      expect(services).toContain(definition.owner);
      expect(definition.name.split('.')[0]).toBe(definition.owner);
      expect(Object.keys(modules[definition.owner as keyof typeof modules])).toContain(key);
      expect(definition.summary).toMatch(/^[A-Z].*\.$/);
    },
  );

  test.each(events.map((event) => [event.name, event] as const))('%s: the event is a past fact', (name) => {
    expect(name.split('.')[2]).toMatch(/(ed|sent|made|begun)$/);
  });
});

describe('shapes', () => {
  test.each(requests.map((request) => [request.name, request] as const))(
    '%s: request and response are JSON',
    (_name, request) => {
      expect(() => z.toJSONSchema(request.request, { io: 'input' })).not.toThrow();
      expect(() => z.toJSONSchema(request.response)).not.toThrow();
    },
  );
});

describe("the services' use of the bus", () => {
  test.each(['ask', 'answer', 'watch', 'listen', 'signal'] as const)(
    'every file that can call %s does so in a way that this test reads',
    (call) => {
      const files = [...sharedSources(), ...services.flatMap(filesOf)].filter(
        ({ path }) => !path.startsWith('libs/shared/src/bus/'),
      );
      const read = new Set(callsOf(files, call).map(({ place }) => place.split(':')[0]));
      expect(importersOf(files, call).filter((path) => !read.has(path))).toEqual([]);
    },
  );

  test.each(services)(
    '%s consumes and watches the events of exactly those owners that its permissions name',
    (service) => {
      const owners = new Set([
        ...(consumerTables[service] ?? []).map(({ event }) => event.owner),
        ...callsOf(filesInNameOf(service), 'watch').map(({ what }) => findDefinition(what).owner),
      ]);
      expect([...owners].sort()).toEqual([...(consumedOwners[service] ?? [])].sort());
    },
  );

  test.each(services)('%s publishes its own events only', (service) => {
    const foreign = emittedIn(filesOf(service)).filter(({ what }) => findDefinition(what).owner !== service);
    expect(foreign).toEqual([]);
  });

  test.each(services)("no consumer of %s's table is listed twice", (service) => {
    const names = (consumerTables[service] ?? []).map(({ event }) => event.name);
    expect(names.length).toBe(new Set(names).size);
  });

  test.each(events.map((event) => [event.name, event] as const))(
    '%s is published by its owner',
    (_name, event) => {
      expect(emittedIn(filesOf(event.owner)).some(({ what }) => findDefinition(what) === event)).toBe(true);
    },
  );

  test.each(
    events.filter(({ name }) => !forTheRecord.includes(name)).map((event) => [event.name, event] as const),
  )('%s is consumed or watched by some service', (_name, event) => {
    const consumers = services.filter((service) =>
      consumerTables[service]?.some((line) => line.event === event),
    );
    expect([...consumers, ...using('watch', event)]).not.toEqual([]);
  });

  test.each(requests.map((request) => [request.name, request] as const))(
    '%s is asked by exactly the services that it names, and answered by its owner',
    (_name, request) => {
      const callers = onlyOfOldProcesses.includes(request.name) ? [] : request.callers;
      expect(using('ask', request).sort()).toEqual([...callers].sort());
      expect(using('answer', request)).toEqual([request.owner]);
    },
  );

  test.each(signals.map((signal) => [signal.name, signal] as const))(
    '%s is sent by its owner and received by exactly the services that it names',
    (_name, signal) => {
      expect(using('listen', signal).sort()).toEqual([...signal.listeners].sort());
      expect(using('signal', signal)).toEqual([signal.owner]);
    },
  );
});

/** Asked by processes of the release before, and by none of this one. */
const onlyOfOldProcesses: readonly string[] = ['tenancy.token.find.v1'];

/** Published for records of the tenant, or for live listeners: no service has to act on them. */
const forTheRecord: readonly string[] = [
  'agents.attention.needed.v1',
  'agents.chat.updated.v1',
  'agents.evaluation.changed.v1',
  'agents.handling.changed.v1',
  'agents.note.created.v1',
  'keys.key.invalidated.v1',
  'usage.quota.warned.v1',
];
