import express, { type Express } from 'express';
import type { z } from 'zod';
import { type ProcessConfig, readConfig } from '../config/config.ts';
import { createErrorHandler, refuseUnknownPath } from '../http/error-handler.ts';
import { createRequestContext } from '../http/request-context.ts';
import { closeServer, createHttpServer, listenOn } from '../http/server.ts';
import { createLog, type Log } from '../log/log.ts';
import { armFailpoints } from './failpoint.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { mountOperations } from './operations.ts';
import type { Readiness } from './readiness.ts';

/** What a service builds from its settings. */
export interface App {
  /** Adds the service's routes to the internal server; the gateway has none there. */
  mount(internal: Express): void;
  start(): Promise<void>;
  /** Finishes what runs and gives back what is held. Called after the server stopped accepting. */
  stop(): Promise<void>;
  readiness(): Promise<Readiness>;
}

export interface Surroundings {
  log: Log;
  metrics: Metrics;
}

export interface RunningService {
  /** Address of the internal server. */
  url: string;
  stop(): Promise<void>;
}

const finishWithinMs = 10_000;

/** Starts a service inside this process. `startService` does the same for a process of its own. */
export async function runService<Config extends ProcessConfig>(
  name: string,
  config: Config,
  createApp: (config: Config, surroundings: Surroundings) => Promise<App>,
  log: Log = createLog(name, config.LOG_LEVEL),
): Promise<RunningService> {
  armFailpoints(config);
  const metrics = createMetrics(name);
  const app = await createApp(config, { log, metrics });
  let isStopping = false;
  const internal = express().disable('x-powered-by').disable('etag').set('query parser', 'simple');
  mountOperations(internal, { metrics, readiness: () => app.readiness(), isStopping: () => isStopping });
  internal.use(createRequestContext(log, metrics));
  app.mount(internal);
  internal.use(refuseUnknownPath, createErrorHandler(log));
  const server = createHttpServer(internal);
  const boundPort = await listenOn(server, config.SERVICE_HOST, config.SERVICE_PORT);
  await app.start();
  log.info({ port: boundPort }, 'started');
  return {
    url: `http://${config.SERVICE_HOST}:${boundPort}`,
    stop: async () => {
      isStopping = true;
      await closeServer(server, finishWithinMs);
      await app.stop();
      log.info('stopped');
    },
  };
}

/**
 * The whole life of a service's process: settings, start, and a clean end on SIGTERM, SIGINT or when its launcher
 * is gone. A start that fails says why in one line and exits with 1.
 */
export async function startService<Schema extends z.ZodType<ProcessConfig>>(
  name: string,
  schema: Schema,
  createApp: (config: z.output<Schema>, surroundings: Surroundings) => Promise<App>,
): Promise<void> {
  try {
    const config = readConfig(schema, process.env) as z.output<Schema>;
    const running = await runService(name, config, createApp);
    let isEnding = false;
    const stop = () => {
      if (isEnding) return;
      isEnding = true;
      void endProcess(running);
    };
    process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

async function endProcess(running: RunningService): Promise<void> {
  setTimeout(() => process.exit(1), finishWithinMs + 2000).unref();
  await running.stop();
  process.exit(0);
}
