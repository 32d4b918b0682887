import { z } from 'zod';
import { id, moment } from './common.ts';

const count = z.int();
const figure = z.number();
const bytes = count;
const serviceName = z.string();
const instanceId = z.string().describe('Identifies the process. It is generated when the process starts.');

export const SystemSummary = z
  .object({
    name: z.string().describe('The name of the product.'),
    version: z.string().describe('The release of the responding process.'),
    revision: z
      .string()
      .nullable()
      .describe('The commit of the build. `null` if the build does not record it.'),
    environment: z.string().describe('The value of `NODE_ENV`, such as `production`.'),
    startedAt: moment.describe('When the responding process was started.'),
    uptimeMs: count,
    runtime: z
      .object({
        node: z.string().describe('The version of Node.js.'),
        v8: z.string().describe('The version of its JavaScript engine.'),
        platform: z.string().describe('The operating system, such as `linux`.'),
        architecture: z.string().describe('The kind of processor, such as `x64`.'),
        processors: count,
        memoryBytes: bytes,
      })
      .describe('The environment of the responding process.'),
    postgres: z.string().nullable().describe('The version of Postgres. `null` if it does not answer.'),
    nats: z.string().nullable().describe('The version of the NATS server. `null` if it does not answer.'),
    versions: z
      .record(serviceName, z.array(z.string()))
      .describe('Versions of the processes of each service. There are several during an upgrade.'),
  })
  .meta({ id: 'SystemSummary', description: 'The running release and its environment.' });

const ProcessTotals = z.object({
  processes: count,
  cpuSeconds: figure,
  residentBytes: bytes,
  heapUsedBytes: bytes,
  heapTotalBytes: bytes,
  externalBytes: bytes,
  requests: count,
  requestsInFlight: count,
});

export const SystemMetrics = z
  .object({
    at: moment,
    total: ProcessTotals.describe('Totals of all processes.'),
    services: z
      .array(
        z.object({
          serviceName,
          total: ProcessTotals.describe('Totals of all processes of the service.'),
          instances: z
            .array(ProcessTotals.omit({ processes: true }).extend({ instanceId }))
            .describe('Figures of each process of the service.'),
          counters: z
            .array(
              z.object({
                name: z.string().describe('The name of the metric, as at `/metrics`.'),
                labels: z
                  .record(z.string(), z.string())
                  .describe('Labels that distinguish counters with the same name.'),
                value: figure.describe('The count, summed over the processes.'),
              }),
            )
            .describe('Counters since the start of each process, summed over the processes.'),
          queues: z
            .record(z.string(), count)
            .describe('Number of waiting items by queue. 10,000 means 10,000 or more.'),
        }),
      )
      .describe('Each service that answered.'),
    unanswered: z.array(serviceName),
  })
  .meta({ id: 'SystemMetrics', description: 'Resource usage and counters of the processes, by service.' });

const Instance = z.object({
  instanceId,
  version: z.string().describe('The release that the process runs.'),
  startedAt: moment,
  uptimeMs: count,
  state: z.enum(['starting', 'ready', 'not ready', 'draining']),
  checks: z.record(z.string(), z.string()).describe('`ok` or a short reason, for each dependency.'),
  load: z
    .object({
      utilization: figure.describe('Share of the last seconds in which the event loop was busy.'),
      cpu: figure.describe('Cores used in the last seconds.'),
      residentBytes: bytes,
      requestsInFlight: count,
    })
    .describe('The load of the process in the last seconds.'),
});

export const SystemService = z
  .object({
    serviceName,
    state: z
      .enum(['ready', 'degraded', 'missing'])
      .describe('`degraded`: some of its processes are not ready. `missing`: none answers.'),
    versions: z.array(z.string()),
    instances: z.array(Instance).describe('The processes of the service that answered.'),
  })
  .meta({ id: 'SystemService', description: 'One service, with its processes and their state.' });

export const LogEntry = z
  .object({
    at: moment.describe('When the line was written.'),
    level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
    serviceName,
    instanceId,
    message: z.string(),
    fields: z.record(z.string(), z.unknown()).describe('The other fields of the line. Secrets are masked.'),
  })
  .meta({ id: 'LogEntry', description: "One line of a service's log." });

export const SystemPerformance = z
  .object({
    at: moment,
    routes: z
      .array(
        z.object({
          serviceName,
          method: z.string(),
          route: z.string(),
          requests: count,
          failed: count.describe('Requests answered with 500 or above.'),
          meanMs: figure,
          p50Ms: figure,
          p95Ms: figure,
          p99Ms: figure,
        }),
      )
      .describe(
        'Requests by route since the start, over all processes of the service; busiest first. Percentiles are estimated within the buckets of the histogram.',
      ),
    eventLoops: z
      .array(
        z.object({
          serviceName,
          instanceId,
          utilization: figure,
          meanMs: figure,
          p50Ms: figure,
          p99Ms: figure,
          maxMs: figure,
        }),
      )
      .describe('Delays of the event loop of each process.'),
    pools: z
      .array(
        z.object({
          serviceName,
          instanceId,
          name: z.string().describe('The purpose of the pool.'),
          total: count.describe('Open connections.'),
          idle: count.describe('Open connections that are not in use.'),
          waiting: count.describe('Callers that are waiting for a connection.'),
          most: count.describe('The maximum number of connections.'),
        }),
      )
      .describe('The pools of Postgres connections of each process.'),
    buses: z
      .array(
        z.object({
          serviceName,
          instanceId,
          isConnected: z.boolean().describe('Whether the connection is up now.'),
          sentMessages: count.describe('Messages sent since the start.'),
          receivedMessages: count.describe('Messages received since the start.'),
          sentBytes: bytes.describe('Bytes sent since the start.'),
          receivedBytes: bytes.describe('Bytes received since the start.'),
          reconnections: count.describe('Number of times the connection was lost and re-established.'),
        }),
      )
      .describe('The NATS connection of each process.'),
    unanswered: z.array(serviceName),
  })
  .meta({
    id: 'SystemPerformance',
    description: 'Response times of the processes, and possible bottlenecks.',
  });

export const Restart = z
  .object({
    restartId: id.describe('The identifier of the restart, used to follow it.'),
    serviceName,
    state: z.enum(['running', 'done', 'failed']),
    reason: z
      .string()
      .nullable()
      .describe('Why the restart was aborted. Processes that were not reached keep running.'),
    instances: z
      .array(
        z.object({
          instanceId,
          state: z
            .enum(['waiting', 'restarting', 'restarted', 'failed'])
            .describe('`restarted`: the process has ended, and as many processes as before are ready.'),
        }),
      )
      .describe('The processes to restart, with the progress of each.'),
    startedAt: moment,
    finishedAt: moment.nullable(),
  })
  .meta({ id: 'Restart', description: "A restart of a service's processes, one after another." });
