import type { Subscription } from '@botyard/shared/bus/consumer';
import type { EventType, RequestType, SignalType } from '@botyard/shared/bus/definition';
import { createNames } from '@botyard/shared/bus/names';
import { consumedOwners } from '@botyard/shared/bus/permissions';
import * as agentsEvents from '@botyard/shared/events/agents';
import * as agentsPeople from '@botyard/shared/events/agents-people';
import { events, requests, signals } from '@botyard/shared/events/catalogue';
import * as keysEvents from '@botyard/shared/events/keys';
import * as tenancyEvents from '@botyard/shared/events/tenancy';
import * as usageEvents from '@botyard/shared/events/usage';
import * as webhookRequests from '@botyard/shared/events/webhook-requests';
import * as webhooksEvents from '@botyard/shared/events/webhooks';
import * as webhooksIdentity from '@botyard/shared/events/webhooks-identity';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { subscriptions as agents } from '../services/agents/src/consumers.ts';
import { subscriptions as keys } from '../services/keys/src/consumers.ts';
import { subscriptions as tenancy } from '../services/tenancy/src/consumers.ts';
import { subscriptions as usage } from '../services/usage/src/consumers.ts';
import { subscriptions as webhooks } from '../services/webhooks/src/consumers.ts';
import { type BusCall, callsOf, emittedIn, importersOf } from './support/bus-use.ts';
import { fileAt, filesAt, type SourceFile, services, sharedSources } from './support/sources.ts';

type Definition = EventType | RequestType | SignalType;

const modules = {
  agents: { ...agentsEvents, ...agentsPeople },
  keys: keysEvents,
  tenancy: tenancyEvents,
  usage: usageEvents,
  webhooks: { ...webhooksEvents, ...webhooksIdentity, ...webhookRequests },
};
const tables: Readonly<Record<string, readonly Subscription<never>[]>> = {
  gateway: [],
  tenancy,
  keys,
  usage,
  webhooks,
  agents,
};

/** Everything that is defined, by the name under which it is exported. */
const defined = new Map<string, Definition>(
  Object.values(modules).flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (isDefinition(value) ? [[name, value] as const] : [])),
  ),
);
const catalogue: readonly Definition[] = [...events, ...requests, ...signals];

function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && 'owner' in value && 'summary' in value;
}

const filesOf = (service: string): SourceFile[] => filesAt(new RegExp(`^services/${service}/src/.*\\.ts$`));

/** Services that know callers by asking the tenancy service: all with a database, but for that one itself. */
function usesRemoteCallers(service: string): boolean {
  const { text } = fileAt(`services/${service}/src/app.ts`);
  return text.includes('createDomainApp(') && !/\bcallers:/.test(text);
}

/** The service's own files, and those of the library that work in its name. */
function filesInNameOf(service: string): SourceFile[] {
  const remote = fileAt('libs/shared/src/auth/remote-callers.ts');
  return [...filesOf(service), ...(usesRemoteCallers(service) ? [remote] : [])];
}

function find(name: string): Definition {
  const found = defined.get(name);
  if (!found) throw new Error(`nothing is exported as ${name} from libs/shared/src/events`);
  return found;
}

const using = (call: BusCall, definition: Definition): string[] =>
  services.filter((service) =>
    callsOf(filesInNameOf(service), call).some(({ what }) => find(what) === definition),
  );

describe('the catalogue', () => {
  test('lists every definition that the events export, and nothing else', () => {
    expect(new Set(catalogue.map(({ name }) => name))).toEqual(
      new Set([...defined.values()].map(({ name }) => name)),
    );
    const files = filesAt(/^libs\/shared\/src\/events\/.*\.ts$/);
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

describe('samples', () => {
  test.each(events.map((event) => [event.name, event] as const))(
    '%s: its sample is what its schema reads',
    (_name, event) => {
      const parsed = event.schema.parse(JSON.parse(JSON.stringify(event.sample)));
      expect(parsed).toEqual(event.sample);
    },
  );

  test.each(
    events.filter(({ name }) => !ofNoTenant.includes(name)).map((event) => [event.name, event] as const),
  )('%s: its sample names the tenant, so that erasure finds it', (_name, event) => {
    expect(event.sample).toHaveProperty('tenantId');
  });

  test('subjects of events lead back to their names', () => {
    const names = createNames('test');
    for (const event of events) {
      const subject = names.event(event, event.sample as { tenantId?: string });
      expect(names.eventNameOf(subject)).toBe(event.name);
      expect(subject).not.toMatch(/[\s*>]/);
    }
  });
});

/** The first published shape of every version. Only optional fields may be added within one; a change here is a break. */
describe('shapes', () => {
  test.each(events.map((event) => [event.name, event] as const))(
    '%s: unknown fields of a newer sender are no fault',
    (_name, event) => {
      expect(event.schema.safeParse({ ...(event.sample as object), addedLater: true }).success).toBe(true);
    },
  );

  test.each(requests.map((request) => [request.name, request] as const))(
    '%s: what is asked and answered is JSON',
    (_name, request) => {
      expect(() => z.toJSONSchema(request.request, { io: 'input' })).not.toThrow();
      expect(() => z.toJSONSchema(request.response)).not.toThrow();
    },
  );
});

describe('what services do on the bus', () => {
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
        ...(tables[service] ?? []).map(({ event }) => event.owner),
        ...callsOf(filesInNameOf(service), 'watch').map(({ what }) => find(what).owner),
      ]);
      expect([...owners].sort()).toEqual([...(consumedOwners[service] ?? [])].sort());
    },
  );

  test.each(services)('%s publishes its own events only', (service) => {
    const foreign = emittedIn(filesOf(service)).filter(({ what }) => find(what).owner !== service);
    expect(foreign).toEqual([]);
  });

  test.each(services)("no consumer of %s's table is there twice", (service) => {
    const names = (tables[service] ?? []).map(({ event }) => event.name);
    expect(names.length).toBe(new Set(names).size);
  });

  test.each(events.map((event) => [event.name, event] as const))(
    '%s is published by its owner',
    (_name, event) => {
      expect(emittedIn(filesOf(event.owner)).some(({ what }) => find(what) === event)).toBe(true);
    },
  );

  test.each(
    events.filter(({ name }) => !forTheRecord.includes(name)).map((event) => [event.name, event] as const),
  )('%s is consumed or watched by somebody', (_name, event) => {
    const consumers = services.filter((service) => tables[service]?.some((line) => line.event === event));
    expect([...consumers, ...using('watch', event)]).not.toEqual([]);
  });

  test.each(requests.map((request) => [request.name, request] as const))(
    '%s is asked by exactly the services that it names, and answered by its owner',
    (_name, request) => {
      expect(using('ask', request).sort()).toEqual([...request.callers].sort());
      expect(using('answer', request)).toEqual([request.owner]);
    },
  );

  test.each(signals.map((signal) => [signal.name, signal] as const))(
    '%s is sent by its owner and heard by exactly the services that it names',
    (_name, signal) => {
      expect(using('listen', signal).sort()).toEqual([...signal.listeners].sort());
      expect(using('signal', signal)).toEqual([signal.owner]);
    },
  );
});

/** People and organizations of the identity provider, who belong to no tenant of ours. */
const ofNoTenant: readonly string[] = ['webhooks.identity.changed.v1'];

/** Told for whoever keeps a record of the tenant: no service of ours has to act on them. */
const forTheRecord: readonly string[] = ['keys.key.invalidated.v1', 'usage.quota.warned.v1'];
