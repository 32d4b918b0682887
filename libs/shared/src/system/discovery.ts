import type { Msg } from '@nats-io/transport-node';
import type { Bus } from '../bus/bus.ts';
import { keepSubscribed } from '../bus/subscribing.ts';
import type { Instance } from './instance.ts';
import { type DiscoveryVerb, discoveryName, discoverySubjects, questionSubject } from './subjects.ts';

/**
 * NATS service discovery (`$SRV.PING`, `INFO`, `STATS`), so that tools such as `nats micro list` find every process.
 * Implemented here, because its library (`@nats-io/services`) does not fit this version of the client.
 */
export function answerDiscovery(bus: Bus, instance: Instance): void {
  const { namespace } = bus.names;
  const name = discoveryName(namespace, instance.service);
  const base = {
    name,
    id: instance.id,
    version: instance.version,
    metadata: { startedAt: instance.startedAt.toISOString(), pid: String(process.pid) },
  };
  const endpoint = {
    name: 'system',
    subject: questionSubject(namespace, '*', instance.service),
    queue_group: '',
  };
  let asked = 0;
  const answers: Record<DiscoveryVerb, () => Promise<object>> = {
    PING: async () => ({ type: 'io.nats.micro.v1.ping_response', ...base }),
    INFO: async () => ({
      type: 'io.nats.micro.v1.info_response',
      ...base,
      description: `The ${instance.service} service of Botyard`,
      endpoints: [{ ...endpoint, metadata: {} }],
    }),
    STATS: async () => ({
      type: 'io.nats.micro.v1.stats_response',
      ...base,
      started: instance.startedAt.toISOString(),
      endpoints: [
        {
          ...endpoint,
          num_requests: asked,
          num_errors: 0,
          last_error: '',
          processing_time: 0,
          average_processing_time: 0,
          data: await instance.status(),
        },
      ],
    }),
  };
  for (const [verb, make] of Object.entries(answers)) {
    const subjects = discoverySubjects(name, verb as DiscoveryVerb);
    for (const subject of [...subjects, `$SRV.${verb}.${name}.${instance.id}`]) {
      keepSubscribed(bus, subject, {
        onMessage: (message) => {
          asked += 1;
          void respond(bus, message, make);
        },
      });
    }
  }
}

async function respond(bus: Bus, message: Msg, make: () => Promise<object>): Promise<void> {
  try {
    message.respond(JSON.stringify(await make()));
  } catch (error) {
    bus.log.debug({ err: error }, 'a question of discovery was not answered');
  }
}
