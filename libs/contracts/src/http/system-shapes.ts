import { z } from 'zod';
import { id, moment } from './common.ts';

const count = z.number().int();
const figure = z.number();
const bytes = count;
const serviceName = z.string();
const instanceId = z.string().describe('Made by the process at its start.');

export const SystemSummary = z
  .object({
    name: z.string().describe('The name of the product.'),
    version: z.string().describe('The release that the answering process runs.'),
    revision: z
      .string()
      .nullable()
      .describe('The commit that this was built from, where the build tells it.'),
    environment: z.string().describe('As `NODE_ENV` says, such as `production`.'),
    startedAt: moment.describe('When the answering process was started.'),
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
      .describe('What the answering process runs on.'),
    postgres: z.string().nullable().describe('The version of Postgres; `null` when it does not answer.'),
    nats: z.string().nullable().describe('The version of the NATS server; `null` when it does not answer.'),
    versions: z
      .record(serviceName, z.array(z.string()))
      .describe('Versions of the processes of each service: several while an upgrade goes on.'),
  })
  .meta({ id: 'SystemSummary', description: 'Which release runs, and what it runs on.' });

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
    total: ProcessTotals.describe('Of all processes together.'),
    services: z
      .array(
        z.object({
          serviceName,
          total: ProcessTotals.describe('Of all processes of the service together.'),
          instances: z
            .array(ProcessTotals.omit({ processes: true }).extend({ instanceId }))
            .describe('Each of its processes.'),
          counters: z
            .array(
              z.object({
                name: z.string().describe('The name of the metric, as at `/metrics`.'),
                labels: z
                  .record(z.string(), z.string())
                  .describe('What tells apart what is counted under the same name.'),
                value: figure.describe('The count, added up over the processes.'),
              }),
            )
            .describe('Counted since each process began; added up over the processes.'),
          queues: z
            .record(z.string(), count)
            .describe('What waits, by queue; 10,000 stands for that and more.'),
        }),
      )
      .describe('Each service that answered.'),
    unanswered: z.array(serviceName),
  })
  .meta({ id: 'SystemMetrics', description: 'What the processes use and have done, by service.' });

const Instance = z.object({
  instanceId,
  version: z.string().describe('The release that the process runs.'),
  startedAt: moment,
  uptimeMs: count,
  state: z.enum(['starting', 'ready', 'not ready', 'draining']),
  checks: z.record(z.string(), z.string()).describe('`ok` or a short reason, for each thing that it needs.'),
  load: z
    .object({
      utilization: figure.describe('Share of the last seconds in which its event loop was busy.'),
      cpu: figure.describe('Cores that it used in the last seconds.'),
      residentBytes: bytes,
      requestsInFlight: count,
    })
    .describe('What the process was busy with in the last seconds.'),
});

export const SystemService = z
  .object({
    serviceName,
    state: z
      .enum(['ready', 'degraded', 'missing'])
      .describe('`degraded`: some of its processes are not ready. `missing`: none answers.'),
    versions: z.array(z.string()),
    instances: z.array(Instance).describe('Its processes that answered.'),
  })
  .meta({ id: 'SystemService', description: 'One service, with its processes and their state.' });

export const LogEntry = z
  .object({
    at: moment.describe('When the line was written.'),
    level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
    serviceName,
    instanceId,
    message: z.string(),
    fields: z.record(z.string(), z.unknown()).describe('What else the line has; secrets are blotted out.'),
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
          failed: count.describe('Answered with 500 or above.'),
          meanMs: figure,
          p50Ms: figure,
          p95Ms: figure,
          p99Ms: figure,
        }),
      )
      .describe(
        'Of all processes of the service together, since they began; the busiest first. Percentiles are estimated within the steps in which times are counted.',
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
      .describe('By how much the event loop of each process was late.'),
    pools: z
      .array(
        z.object({
          serviceName,
          instanceId,
          name: z.string().describe('What the pool is for.'),
          total: count.describe('Connections that are open.'),
          idle: count.describe('Connections that are open and not in use.'),
          waiting: count.describe('Who waits for a connection now.'),
          most: count.describe('Connections that the pool may open.'),
        }),
      )
      .describe('The pools of connections to Postgres, of each process.'),
    buses: z
      .array(
        z.object({
          serviceName,
          instanceId,
          isConnected: z.boolean().describe('Whether the connection stands now.'),
          sentMessages: count.describe('Messages that were sent over it since it began.'),
          receivedMessages: count.describe('Messages that came over it since it began.'),
          sentBytes: bytes.describe('Bytes that were sent over it since it began.'),
          receivedBytes: bytes.describe('Bytes that came over it since it began.'),
          reconnections: count.describe('How often it broke and was made again.'),
        }),
      )
      .describe('The connections to NATS, of each process.'),
    unanswered: z.array(serviceName),
  })
  .meta({ id: 'SystemPerformance', description: 'How fast the processes answer, and what holds them up.' });

export const Restart = z
  .object({
    restartId: id,
    serviceName,
    state: z.enum(['running', 'done', 'failed']),
    reason: z
      .string()
      .nullable()
      .describe('Why it was given up; the processes that were not reached go on as they are.'),
    instances: z
      .array(
        z.object({
          instanceId,
          state: z
            .enum(['waiting', 'restarting', 'restarted', 'failed'])
            .describe('`restarted`: it has ended, and as many as before are ready.'),
        }),
      )
      .describe('Each process that is restarted, with how far it is.'),
    startedAt: moment,
    finishedAt: moment.nullable(),
  })
  .meta({ id: 'Restart', description: "A restart of a service's processes, one after the other." });
export type Restart = z.input<typeof Restart>;
