import { events, requests, signals } from '@botyard/contracts/events/catalogue';
import type { EventType } from '@botyard/contracts/events/definition';
import { createNames } from '@botyard/shared/bus/names';
import { type Definition, folderOfSamples, samplesOf } from '@botyard/testing/samples';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { compareSamples, hashAll, hashSamples, readManifest } from '../../tools/generate/sample-manifest.ts';
import { uncoveredParts } from './support/uncovered-parts.ts';

/** Half of a definition: its message or its answer, with the samples of it. */
interface Half {
  name: string;
  schema: z.ZodType;
  samples: { path: string; payload: unknown }[];
}

const halves: readonly Half[] = [
  ...[...events, ...signals].map((told) => ({
    name: told.name,
    schema: told.schema,
    samples: samplesOf(told),
  })),
  ...requests.flatMap((request) => {
    const { name, request: question, response } = request;
    const samples = samplesOf(request);
    return [
      {
        name: `the question of ${name}`,
        schema: question,
        samples: samples.map(({ path, payload }) => ({ path, payload: payload.question })),
      },
      {
        name: `the answer to ${name}`,
        schema: response,
        samples: samples.map(({ path, payload }) => ({ path, payload: payload.answer })),
      },
    ];
  }),
];
const catalogue: readonly Definition[] = [...events, ...requests, ...signals];
const each = halves.map((half) => [half.name, half] as const);

/**
 * People and organizations of the identity provider belong to no tenant of ours, and some people are in all they are
 * in.
 */
const ofNoTenant: readonly string[] = ['webhooks.identity.changed.v1', 'tenancy.access.changed.v1'];

describe("samples of the bus's messages", () => {
  test.each(each)('%s has one, and its schema reads all that were ever accepted', (_name, half) => {
    expect(half.samples).not.toEqual([]);
    for (const { path, payload } of half.samples) {
      const parsed = half.schema.safeParse(payload);
      expect(parsed.error?.issues ?? [], path).toEqual([]);
      // Nothing that was said is dropped unread.
      expect(parsed.data, path).toEqual(payload);
    }
  });

  test.each(each)(
    '%s: they show every field, every alternative and every word that it may hold',
    (_name, half) => {
      const { schema, samples } = half;
      expect(
        uncoveredParts(
          schema,
          samples.map(({ payload }) => payload),
        ),
      ).toEqual([]);
    },
  );

  test.each(each)('%s: unknown fields of a newer sender are no fault', (_name, { schema, samples }) => {
    for (const { payload } of samples)
      expect(schema.safeParse({ ...(payload as object), addedLater: true }).success).toBe(true);
  });

  test('there is no sample of an unused definition', () => {
    const folders = new Set(catalogue.map(folderOfSamples));
    const lost = Object.keys(hashSamples()).filter((path) => !folders.has(path.replace(/\/[^/]+$/, '')));
    expect(lost).toEqual([]);
  });

  test.each(catalogue.map((definition) => [definition.name, definition] as const))(
    '%s: they are numbered without a gap',
    (_name, definition) => {
      const numbers = samplesOf(definition).map(({ path }) => Number(/(\d+)-[^/]+$/.exec(path)?.[1]));
      expect(numbers).toEqual(numbers.map((_number, place) => place + 1));
    },
  );
});

describe('the manifest', () => {
  const { added, changed, removed } = compareSamples(readManifest(), hashAll());

  test('contains every sample and every name of a registry: `npm run generate` adds a new one', () =>
    expect(added).toEqual([]));
  test('no sample was edited since it was taken in', () => expect(changed).toEqual([]));
  test('no sample and no name was removed since it was taken in', () => expect(removed).toEqual([]));

  test('an edited, a removed and a new sample are distinguished', () => {
    expect(
      compareSamples({ same: '1', edited: '1', gone: '1' }, { same: '1', edited: '2', fresh: '1' }),
    ).toEqual({
      added: ['fresh'],
      changed: ['edited'],
      removed: ['gone'],
    });
  });
});

describe('subjects of events', () => {
  const names = createNames('test');
  const withSamples = events.flatMap((event) =>
    samplesOf<EventType>(event).map(({ path, payload }) => [path, event, payload] as const),
  );

  test.each(withSamples)('%s: the subject leads back to the name', (_path, event, payload) => {
    const subject = names.event(event, payload as { tenantId?: string });
    expect(names.eventNameOf(subject)).toBe(event.name);
    expect(subject).not.toMatch(/[\s*>]/);
  });

  test.each(withSamples.filter(([, { name }]) => !ofNoTenant.includes(name)))(
    '%s: it names the tenant, so that erasure finds it',
    (_path, _event, payload) => {
      expect(payload).toHaveProperty('tenantId');
    },
  );
});
