import { z } from 'zod';

const figure = z.number();
const count = z.int();
const moment = z.iso.datetime();

const LogLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

const LogQuery = z.object({
  level: LogLevel,
  since: moment.optional(),
  before: moment.optional(),
  text: z.string().optional(),
  limit: count,
});
export type LogQuery = z.output<typeof LogQuery>;

const LogLine = z.object({
  at: moment,
  level: LogLevel,
  message: z.string(),
  fields: z.record(z.string(), z.unknown()),
});
export type LogLine = z.output<typeof LogLine>;

const SettingFact = z.object({
  name: z.string(),
  isSet: z.boolean(),
  /** Omitted if nothing of the value may be shown. */
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]).optional(),
  source: z.enum(['environment', 'launcher', 'default', 'none']),
  /** The feature that is off while the setting is unset. */
  switchesOff: z.string().optional(),
});
/** A setting in a running process. */
export type SettingFact = z.output<typeof SettingFact>;

const ProblemFact = z.object({ setting: z.string(), problem: z.string(), since: moment });
/** Something between a running process and what is behind it that an operator has to mend. */
export type ProblemFact = z.output<typeof ProblemFact>;

const Load = z.object({
  /** Utilization of the event loop in the last seconds: 0 to 1. */
  utilization: figure,
  /** Seconds of processor time per second: 1 is one core. */
  cpu: figure,
  residentBytes: count,
  requestsInFlight: count,
});
export type Load = z.output<typeof Load>;

const InstanceStatus = z.object({
  state: z.enum(['starting', 'ready', 'not ready', 'draining']),
  checks: z.record(z.string(), z.string()),
  load: Load,
});
/** The status of a process, as carried by its discovery statistics. */
export type InstanceStatus = z.output<typeof InstanceStatus>;

const Route = z.object({
  method: z.string(),
  route: z.string(),
  count,
  /** Responses with a status of 500 or above. */
  failed: count,
  sumSeconds: figure,
  /** Number of requests up to each of the bounds; the last one counts all. */
  buckets: z.array(count),
});
export type RouteFigures = z.output<typeof Route>;

const Pool = z.object({ name: z.string(), total: count, idle: count, waiting: count, most: count });
export type PoolFigures = z.output<typeof Pool>;

const Figures = z.object({
  process: z.object({
    cpuSeconds: figure,
    residentBytes: count,
    heapUsedBytes: count,
    heapTotalBytes: count,
    externalBytes: count,
    requests: count,
    requestsInFlight: count,
  }),
  eventLoop: z.object({ utilization: figure, meanMs: figure, p50Ms: figure, p99Ms: figure, maxMs: figure }),
  bounds: z.array(figure),
  routes: z.array(Route),
  pools: z.array(Pool),
  bus: z.object({
    isConnected: z.boolean(),
    sentMessages: count,
    receivedMessages: count,
    sentBytes: count,
    receivedBytes: count,
    reconnections: count,
  }),
  /** Waiting work, by queue name. */
  queues: z.record(z.string(), count),
  counters: z.array(z.object({ name: z.string(), labels: z.record(z.string(), z.string()), value: figure })),
});
export type Figures = z.output<typeof Figures>;

/**
 * A request that each process answers, not the service as a whole. Only tenancy may send it, because it owns
 * `/api/system` and `/api/config`.
 */
export interface SystemQuestion<
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly name: string;
  readonly request: Request;
  readonly response: Response;
}

const question = <Request extends z.ZodType, Response extends z.ZodType>(
  name: string,
  request: Request,
  response: Response,
): SystemQuestion<Request, Response> => ({ name, request, response });

export const readSettings = question('settings', z.object({}), z.array(SettingFact));
export const readProblems = question('problems', z.object({}), z.array(ProblemFact));
export const readLog = question('logs', LogQuery, z.array(LogLine));
export const readFigures = question('figures', z.object({}), Figures);
/** Whether the process ends now, so that its supervisor restarts it. */
export const restart = question('restart', z.object({}), z.object({ isAccepted: z.boolean() }));

/** The part that we parse of NATS's answers to `$SRV.INFO` and `$SRV.STATS`. */
export const Discovered = z.object({
  name: z.string(),
  id: z.string(),
  version: z.string(),
  started: z.iso.datetime({ offset: true }),
  metadata: z.record(z.string(), z.string()).nullish(),
  endpoints: z.array(z.object({ name: z.string(), data: z.unknown().optional() })).nullish(),
});

/** A process of a service that answers. */
export interface DiscoveredInstance extends InstanceStatus {
  serviceName: string;
  instanceId: string;
  version: string;
  startedAt: Date;
}
export { InstanceStatus as InstanceStatusShape };

/** Announces to other processes that one ends. */
export const Drain = z.object({
  service: z.string(),
  instanceId: z.string(),
  /** `draining`: send nothing more. `gone`: the process no longer accepts connections. */
  state: z.enum(['draining', 'gone']),
  /** Whether another process replaces it, so that waiting for the service is worthwhile. */
  isReturning: z.boolean(),
});
export type Drain = z.output<typeof Drain>;
