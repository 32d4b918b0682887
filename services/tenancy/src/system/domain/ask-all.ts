import type { ServiceName } from '@botyard/contracts/http/contract';
import { askInstance, discoverInstances } from '@botyard/shared/system/asking';
import type { DiscoveredInstance, SystemQuestion } from '@botyard/shared/system/questions';
import { serviceNames } from '@botyard/shared/system/subjects';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';

/** One process's answer. */
interface Told<Answer> {
  instance: DiscoveredInstance;
  answer: Answer;
}

interface Survey<Answer> {
  told: Told<Answer>[];
  /** Services without an answering process. */
  unanswered: ServiceName[];
}

/**
 * Sends a request to every process of these services. Processes without a timely answer are left out. @throws HttpError
 * 503.
 */
export async function askAll<Request extends z.ZodType, Response extends z.ZodType>(
  { bus }: Pick<Deps, 'bus'>,
  question: SystemQuestion<Request, Response>,
  data: z.input<Request>,
  services: readonly ServiceName[] = serviceNames,
): Promise<Survey<z.output<Response>>> {
  const found = await discoverInstances(bus, services);
  const told: Told<z.output<Response>>[] = [];
  const ask = async (instance: DiscoveredInstance) => {
    const answer = await askInstance(bus, question, instance, data);
    if (answer !== undefined) told.push({ instance, answer });
  };
  await Promise.all(found.map(ask));
  told.sort((left, right) => found.indexOf(left.instance) - found.indexOf(right.instance));
  const answering = new Set(told.map(({ instance }) => instance.serviceName));
  return { told, unanswered: services.filter((name) => !answering.has(name)) };
}

/** The answers of each service, in the order of the services. */
export function byService<Answer>(told: readonly Told<Answer>[]): [ServiceName, Told<Answer>[]][] {
  return serviceNames
    .map((name): [ServiceName, Told<Answer>[]] => [
      name,
      told.filter(({ instance }) => instance.serviceName === name),
    ])
    .filter(([, answers]) => answers.length > 0);
}
