import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@botyard/contracts/http/contract';
import express, { type Express, type RequestHandler } from 'express';
import type pino from 'pino';
import type { z } from 'zod';
import type { Bus } from '../bus/bus.ts';
import { type ProcessConfig, readConfig } from '../config/config.ts';
import { misspeltSettings } from '../config/misspelt.ts';
import { createErrorHandler, refuseUnknownPath } from '../http/error-handler.ts';
import { createRequestContext } from '../http/request-context.ts';
import { closeServer, createHttpServer, drainServer, listenOn } from '../http/server.ts';
import { createLog, type Log, rememberingLines } from '../log/log.ts';
import { announceDrain, announceGone } from '../system/drain.ts';
import { Instance } from '../system/instance.ts';
import { Problems } from '../system/problems.ts';
import { instanceHeader, restartExitCode } from '../system/process-contract.ts';
import type { SettingFact } from '../system/questions.ts';
import { describeSettings } from '../system/settings.ts';
import { startTelemetry } from '../tracing/telemetry.ts';
import { within } from '../work/within.ts';
import { collectAfterStart } from './collect-after-start.ts';
import { watchDescriptors } from './descriptor-watch.ts';
import { armFailpoints } from './failpoint.ts';
import { observeInstance } from './instance-metrics.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { mountOperations } from './operations.ts';
import type { Readiness } from './readiness.ts';
import { checkServers } from './server-check.ts';
import { StallMonitor, stateOf } from './stalls.ts';

/** The parts that a service builds from its settings. */
export interface App {
  /** Adds the service's routes to the internal server; the gateway has none there. */
  mount(internal: Express): void;
  start(): Promise<void>;
  /** Finishes running work and frees resources. Called after the server has stopped accepting connections. */
  stop(): Promise<void>;
  readiness(): Promise<Readiness>;
  /** Resolves when the first connections are established; until then requests wait briefly. */
  opened?: Promise<void>;
  /** Stops taking new work from outside; arriving requests are still answered. */
  drain?(): Promise<void>;
  bus?: Bus | undefined;
  /** Notes addresses and keys that the other side doesn't accept. Called beside the start of a process of its own. */
  checkPeers?(): Promise<void>;
}

export interface RuntimeContext {
  log: Log;
  metrics: Metrics;
  instance: Instance;
  /** Receives the failures of every loop that retries. */
  stalls: StallMonitor;
  /** Receives settings that don't fit what is behind them. */
  problems: Problems;
}

export interface RunningService {
  log: Log;
  checkPeers?: (() => Promise<void>) | undefined;
  /** Address of the internal server. */
  url: string;
  instance: Instance;
  /** Makes other processes stop using this one before it stops. */
  drain(isReturning: boolean): Promise<void>;
  stop(): Promise<void>;
}

interface RunOptions {
  /** Destination of the log; defaults to standard output. */
  destination?: pino.DestinationStream;
  settings?: readonly SettingFact[];
  /** Warnings for the operator at the start, one line each. */
  warnings?: readonly string[];
}

const finishWithinMs = 10_000;
const drainWithinMs = 4000;
const openWithinMs = 1500;
/**
 * Limit for the whole shutdown after the configured delay. It finishes before a supervisor kills the process after 30
 * s, as Kubernetes does.
 */
const endWithinMs = 24_000;

/** Starts a service inside this process. `startService` runs one as a process of its own. */
export async function runService<Config extends ProcessConfig>(
  name: ServiceName,
  config: Config,
  createApp: (config: Config, runtime: RuntimeContext) => Promise<App>,
  { destination, settings = [], warnings = [] }: RunOptions = {},
): Promise<RunningService> {
  armFailpoints(config);
  const instance = new Instance(name);
  instance.settings = settings;
  const log = createLog(name, config.LOG_LEVEL, rememberingLines(instance.log, destination));
  for (const warning of warnings) log.warn(warning);
  const metrics = createMetrics(name);
  const stalls = new StallMonitor({ log });
  const problems = new Problems({ log });
  instance.problems = problems;
  observeInstance(metrics.registry, instance, stalls);
  const app = await createApp(config, { log, metrics, instance, stalls, problems });
  instance.readiness = async () => ({ ...(await app.readiness()), messages: stateOf(stalls) });
  const internal = express().disable('x-powered-by').disable('etag').set('query parser', 'simple');
  mountOperations(internal, {
    metrics,
    readiness: instance.readiness,
    isStopping: () => instance.isDraining,
  });
  internal.use(createRequestContext({ log, metrics, instance }));
  internal.use(nameInstance(instance), waitForOpening(app));
  app.mount(internal);
  internal.use(refuseUnknownPath, createErrorHandler(log));
  const server = createHttpServer(internal);
  const boundPort = await listenOn(server, config.SERVICE_HOST, config.SERVICE_PORT);
  const descriptors = watchDescriptors({ stalls, log });
  descriptors.start();
  instance.start();
  await app.start();
  log.info({ port: boundPort }, 'started');
  let isReturning = false;
  return {
    log,
    checkPeers: app.checkPeers,
    url: `http://${config.SERVICE_HOST}:${boundPort}`,
    instance,
    drain: async (returns) => {
      isReturning = returns;
      instance.isDraining = true;
      if (app.bus) await announceDrain(app.bus, instance, isReturning);
      await pause(config.SHUTDOWN_DELAY_SECONDS * 1000);
      await Promise.all([drainServer(server, drainWithinMs), app.drain?.()]);
    },
    stop: async () => {
      instance.isDraining = true;
      await closeServer(server, finishWithinMs);
      if (app.bus) announceGone(app.bus, instance, isReturning);
      await Promise.all([app.stop(), descriptors.stop()]);
      instance.stop();
      log.info('stopped');
    },
  };
}

/** Tells the gateway which process a connection leads to. */
const nameInstance =
  ({ id }: Instance): RequestHandler =>
  (_req, res, next) => {
    res.setHeader(instanceHeader, id);
    next();
  };

/** Delays a request that arrives during the start briefly, instead of failing it. */
function waitForOpening({ opened }: App): RequestHandler {
  let isOpen = !opened;
  void opened?.then(() => {
    isOpen = true;
  });
  return async (_req, _res, next) => {
    if (opened && !isOpen) await within(openWithinMs, opened);
    next();
  };
}

/**
 * The whole life of a service's process: settings, start, and a clean end on SIGTERM, SIGINT or when its launcher has
 * ended. A failed start prints the reason in one line and exits with 1.
 */
export async function startService<Schema extends z.ZodType<ProcessConfig>>(
  name: ServiceName,
  schema: Schema,
  createApp: (config: z.output<Schema>, runtime: RuntimeContext) => Promise<App>,
): Promise<void> {
  try {
    const config = readConfig(schema, process.env) as z.output<Schema> & ProcessConfig;
    const settings = describeSettings(schema, process.env, config);
    const warnings = [...misspeltSettings(schema, process.env), ...(await checkServers(config))];
    const running = await runService(name, config, createApp, { settings, warnings });
    process.once('uncaughtException', (error) => endByFault(running.log, error));
    running
      .checkPeers?.()
      .catch((error: unknown) => running.log.warn({ err: error }, 'the settings could not be checked'));
    const stopTelemetry = await sendTraces(config, running.instance);
    const shutdownDelayMs = config.SHUTDOWN_DELAY_SECONDS * 1000;
    const end = once((how: Ending) => void endProcess(running, how, { stopTelemetry, shutdownDelayMs }));
    running.instance.restart = () => end({ code: restartExitCode, drains: true });
    const stop = () => end({ code: 0, drains: true });
    process.once('SIGTERM', stop).once('SIGINT', stop);
    process.once('disconnect', () => end({ code: 0, drains: false }));
    collectAfterStart();
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Ends the process immediately, with one line: its state can't be trusted any more. Its supervisor restarts it. */
function endByFault(log: Log, error: unknown): never {
  log.fatal({ err: error }, 'the process ends: an error was thrown that nothing caught');
  process.exit(1);
}

interface Ending {
  code: number;
  drains: boolean;
}

function once<Argument>(work: (argument: Argument) => void): (argument: Argument) => void {
  let isDone = false;
  return (argument) => {
    if (isDone) return;
    isDone = true;
    work(argument);
  };
}

async function sendTraces(config: ProcessConfig, instance: Instance): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio } = config;
  if (!endpoint) return async () => undefined;
  const { service, id: instanceId, version } = instance;
  return await startTelemetry({ endpoint, service, instanceId, version }, ratio);
}

async function endProcess(
  running: RunningService,
  { code, drains }: Ending,
  { stopTelemetry, shutdownDelayMs }: { stopTelemetry: () => Promise<void>; shutdownDelayMs: number },
): Promise<void> {
  setTimeout(() => process.exit(1), endWithinMs + shutdownDelayMs).unref();
  if (drains) await running.drain(code === restartExitCode);
  await running.stop();
  await stopTelemetry();
  process.exit(code);
}
