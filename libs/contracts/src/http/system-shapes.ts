import { z } from 'zod';
import { id, moment } from './common.ts';

const count = z.number().int();
const figure = z.number();
const bytes = count;
const serviceName = z.string();
const instanceId = z.string().describe('Made by the process at its start.');

export const SystemSummary = z
  .object({
    name: z.string(),
    version: z.string(),
    revision: z
      .string()
      .nullable()
      .describe('The commit that this was built from, where the build tells it.'),
    environment: z.string(),
    startedAt: moment.describe('When the answering process was started.'),
    uptimeMs: count,
    runtime: z.object({
      node: z.string(),
      v8: z.string(),
      platform: z.string(),
      architecture: z.string(),
      processors: count,
      memoryBytes: bytes,
    }),
    postgres: z.string().nullable(),
    nats: z.string().nullable(),
    versions: z
      .record(serviceName, z.array(z.string()))
      .describe('Versions of the processes of each service: several while an upgrade goes on.'),
  })
  .meta({ id: 'SystemSummary' });

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
    total: ProcessTotals,
    services: z.array(
      z.object({
        serviceName,
        total: ProcessTotals,
        instances: z.array(ProcessTotals.omit({ processes: true }).extend({ instanceId })),
        counters: z
          .array(z.object({ name: z.string(), labels: z.record(z.string(), z.string()), value: figure }))
          .describe('Counted since each process began; added up over the processes.'),
        queues: z
          .record(z.string(), count)
          .describe('What waits, by queue; 10,000 stands for that and more.'),
      }),
    ),
    unanswered: z.array(serviceName),
  })
  .meta({ id: 'SystemMetrics' });

const Instance = z.object({
  instanceId,
  version: z.string(),
  startedAt: moment,
  uptimeMs: count,
  state: z.enum(['starting', 'ready', 'not ready', 'draining']),
  checks: z.record(z.string(), z.string()).describe('`ok` or a short reason, for each thing that it needs.'),
  load: z.object({
    utilization: figure.describe('Share of the last seconds in which its event loop was busy.'),
    cpu: figure.describe('Cores that it used in the last seconds.'),
    residentBytes: bytes,
    requestsInFlight: count,
  }),
});

export const SystemService = z
  .object({
    serviceName,
    state: z
      .enum(['ready', 'degraded', 'missing'])
      .describe('`degraded`: some of its processes are not ready. `missing`: none answers.'),
    versions: z.array(z.string()),
    instances: z.array(Instance),
  })
  .meta({ id: 'SystemService' });

export const LogEntry = z
  .object({
    at: moment,
    level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
    serviceName,
    instanceId,
    message: z.string(),
    fields: z.record(z.string(), z.unknown()).describe('What else the line has; secrets are blotted out.'),
  })
  .meta({ id: 'LogEntry' });

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
    pools: z.array(
      z.object({
        serviceName,
        instanceId,
        name: z.string(),
        total: count,
        idle: count,
        waiting: count.describe('Who waits for a connection now.'),
        most: count,
      }),
    ),
    buses: z.array(
      z.object({
        serviceName,
        instanceId,
        isConnected: z.boolean(),
        sentMessages: count,
        receivedMessages: count,
        sentBytes: bytes,
        receivedBytes: bytes,
        reconnections: count,
      }),
    ),
    unanswered: z.array(serviceName),
  })
  .meta({ id: 'SystemPerformance' });

export const Restart = z
  .object({
    restartId: id,
    serviceName,
    state: z.enum(['running', 'done', 'failed']),
    reason: z
      .string()
      .nullable()
      .describe('Why it was given up; the processes that were not reached go on as they are.'),
    instances: z.array(
      z.object({
        instanceId,
        state: z
          .enum(['waiting', 'restarting', 'restarted', 'failed'])
          .describe('`restarted`: it has ended, and as many as before are ready.'),
      }),
    ),
    startedAt: moment,
    finishedAt: moment.nullable(),
  })
  .meta({ id: 'Restart' });
export type Restart = z.input<typeof Restart>;
