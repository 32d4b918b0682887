import type { ServiceName } from '@botyard/contracts/http/contract';
import { NoRespondersError, RequestError, TimeoutError } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus } from '../bus/bus.ts';
import { parseMessage, readJson } from '../bus/reading/read-json.ts';
import {
  Discovered,
  type DiscoveredInstance,
  InstanceStatusShape,
  type SystemQuestion,
} from './questions.ts';
import { discoveryName, questionSubject, serviceNames } from './subjects.ts';

/** Time limit for the first answer; a stopped process never answers. */
const firstWithinMs = 1500;
/** Time limit for each further answer. */
const nextWithinMs = 300;
const answerWithinMs = 2000;

interface Patience {
  nextWithinMs?: number;
}

/**
 * All processes of these services that answer now: first their identifiers, which they send immediately, then the
 * status of each.
 * @throws HttpError 503 without a bus.
 */
export async function discoverInstances(
  bus: Bus,
  services: readonly ServiceName[] = serviceNames,
  patience: Patience = {},
): Promise<DiscoveredInstance[]> {
  const discovered = await Promise.all(services.map((service) => discover(bus, service, patience)));
  return discovered.flat();
}

async function discover(bus: Bus, service: ServiceName, patience: Patience): Promise<DiscoveredInstance[]> {
  const name = discoveryName(bus.names.namespace, service);
  const ids = await findIds(bus, name, patience);
  const readings = await Promise.all([...ids].map((id) => readInstance(bus, { service, name, id })));
  return readings
    .filter((instance) => instance !== undefined)
    .sort((left, right) => Number(left.startedAt) - Number(right.startedAt));
}

async function findIds(bus: Bus, name: string, { nextWithinMs: stall = nextWithinMs }: Patience) {
  const ids = new Set<string>();
  try {
    const options = { strategy: 'stall', maxWait: firstWithinMs, stall } as const;
    for await (const answer of await bus.live().connection.requestMany(`$SRV.PING.${name}`, '', options)) {
      const ping = Ping.safeParse(readJson(answer));
      if (ping.success && ping.data.name === name) ids.add(ping.data.id);
    }
  } catch (error) {
    if (!isUnanswered(error)) throw error;
  }
  return ids;
}

const Ping = Discovered.pick({ name: true }).extend({ id: z.string().regex(/^[\w-]{1,64}$/) });

/** There is no listener, which is reported immediately, or the listener doesn't answer. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof NoRespondersError || error instanceof RequestError || error instanceof TimeoutError;

/** Processes with a foreign answer are not ours; processes without a timely answer count as absent. */
async function readInstance(
  bus: Bus,
  { service, name, id }: { service: ServiceName; name: string; id: string },
): Promise<DiscoveredInstance | undefined> {
  try {
    const answer = await bus
      .live()
      .connection.request(`$SRV.STATS.${name}.${id}`, '', { timeout: answerWithinMs });
    const discovered = Discovered.parse(parseMessage(answer));
    const own = discovered.endpoints?.find((endpoint) => endpoint.name === 'system');
    return {
      serviceName: service,
      instanceId: id,
      version: discovered.version,
      startedAt: new Date(discovered.started),
      ...InstanceStatusShape.parse(own?.data),
    };
  } catch (error) {
    bus.log.debug({ err: error, name, id }, 'a process was not found again');
    return undefined;
  }
}

/** Sends a request to one process. Returns `undefined` without a timely, readable answer. */
export async function askInstance<Request extends z.ZodType, Response extends z.ZodType>(
  bus: Bus,
  question: SystemQuestion<Request, Response>,
  to: Pick<DiscoveredInstance, 'serviceName' | 'instanceId'>,
  data: z.input<Request>,
): Promise<z.output<Response> | undefined> {
  const subject = questionSubject(bus.names.namespace, question.name, `${to.serviceName}.${to.instanceId}`);
  try {
    const answer = await bus
      .live()
      .connection.request(subject, JSON.stringify(data), { timeout: answerWithinMs });
    return question.response.parse(parseMessage(answer));
  } catch (error) {
    bus.log.debug({ err: error, question: question.name, ...to }, 'a process did not answer');
    return undefined;
  }
}
