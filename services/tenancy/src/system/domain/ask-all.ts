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
  replies: Told<Answer>[];
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
  const instances = await discoverInstances(bus, services);
  const replies: Told<z.output<Response>>[] = [];
  const ask = async (instance: DiscoveredInstance) => {
    const answer = await askInstance(bus, question, instance, data);
    if (answer !== undefined) replies.push({ instance, answer });
  };
  await Promise.all(instances.map(ask));
  replies.sort((left, right) => instances.indexOf(left.instance) - instances.indexOf(right.instance));
  const answering = new Set(replies.map(({ instance }) => instance.serviceName));
  return { replies, unanswered: services.filter((name) => !answering.has(name)) };
}

/** The answers of each service, in the order of the services. */
export function byService<Answer>(replies: readonly Told<Answer>[]): [ServiceName, Told<Answer>[]][] {
  return serviceNames
    .map((name): [ServiceName, Told<Answer>[]] => [
      name,
      replies.filter(({ instance }) => instance.serviceName === name),
    ])
    .filter(([, answers]) => answers.length > 0);
}
