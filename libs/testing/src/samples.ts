/**
 * Samples of bus traffic as published: `libs/contracts/samples` holds samples of every event, request and signal,
 * which are never edited. Documents take their examples from them, and tests use them to simulate other services.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DataOf, EventType, RequestType, SignalType } from '@botyard/contracts/events/definition';
import type { z } from 'zod';

export type Definition = EventType | RequestType | SignalType;

/** For a request: the question and its answer. */
export type PayloadOf<D extends Definition> = D extends RequestType
  ? { question: z.input<D['request']>; answer: z.input<D['response']> }
  : D extends EventType | SignalType
    ? z.input<D['schema']>
    : never;

interface Sample<D extends Definition = Definition> {
  /** Its file's name without the number, such as `first`. */
  title: string;
  /** Path of the file, beneath the folder of samples. */
  path: string;
  payload: PayloadOf<D>;
}

export const samplesFolder = fileURLToPath(new URL('../../contracts/samples/', import.meta.url));

/** `events/<owner>/<the rest of the name>`, relative to the folder of samples. */
export function folderOfSamples(definition: Definition): string {
  const [owner = '', ...rest] = definition.name.split('.');
  return `${kindOf(definition)}/${owner}/${rest.join('.')}`;
}

function kindOf(definition: Definition): 'events' | 'requests' | 'signals' {
  if ('request' in definition) return 'requests';
  return 'listeners' in definition ? 'signals' : 'events';
}

/** All samples, oldest first; empty if there are none. */
export function samplesOf<D extends Definition>(definition: D): Sample<D>[] {
  const folder = folderOfSamples(definition);
  if (!existsSync(samplesFolder + folder)) return [];
  return readdirSync(samplesFolder + folder)
    .map((file) => {
      const [, number = '', title = ''] = /^(\d+)-([a-z0-9-]+)\.json$/.exec(file) ?? [];
      if (number === '') throw new Error(`${folder}/${file} is not named <number>-<what>.json`);
      return { number: Number(number), title, path: `${folder}/${file}` };
    })
    .sort((left, right) => left.number - right.number)
    .map(({ title, path }) => ({ title, path, payload: readSample(path) as PayloadOf<D> }));
}

const readSample = (path: string): unknown => JSON.parse(readFileSync(samplesFolder + path, 'utf8'));

/** An event's first sample, which has only the required fields. @throws Error when there is no sample. */
export function firstSample<E extends EventType>(event: E): DataOf<E> {
  const [first] = samplesOf<EventType>(event);
  if (!first) throw new Error(`there is no sample of ${event.name}`);
  return event.schema.parse(first.payload) as DataOf<E>;
}
