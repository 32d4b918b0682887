import { routers } from '@botyard/contracts/http/catalogue';
import { createIdentitySigner } from '@botyard/shared/auth/identity';
import { closeServer, drainServer } from '@botyard/shared/http/server';
import type { App, RuntimeContext } from '@botyard/shared/service/run-service';
import { connectBus, createBus } from './clients/bus.ts';
import { createCollector } from './clients/collector.ts';
import { watchClocks } from './clients/service-clocks.ts';
import { createServiceProbe } from './clients/service-readiness.ts';
import type { UpstreamLimits } from './clients/upstream.ts';
import { developmentRuleOf, type GatewayConfig, publicUrlOf, warningsOf } from './config.ts';
import type { Deps } from './deps.ts';
import { createApiTools } from './domain/api-tools.ts';
import { countTokens, createAuthenticator } from './domain/authenticate.ts';
import { createConsole } from './domain/console.ts';
import { identityProblems } from './domain/identity-settings.ts';
import type { McpTool } from './domain/mcp-server.ts';
import { protectedResourceOf } from './domain/protected-resource.ts';
import { RequestsInFlight } from './domain/requests-in-flight.ts';
import { createRoutingTable } from './domain/routing-table.ts';
import { createSessions } from './domain/sessions.ts';
import { createSystemHealth } from './domain/system-health.ts';
import { createUpstreams, forEachUpstream, urlsOf } from './domain/upstreams.ts';
import { createPublicServer, openPublicServer } from './routes/public-server.ts';

/** Settings that tests reduce or change. */
export interface GatewayOptions {
  limits?: Partial<UpstreamLimits>;
  probeTimeoutMs?: number;
  now?: () => number;
  consoleFolder?: string;
  /** In place of the API's. */
  mcpTools?: readonly McpTool[];
}

interface GatewayApp extends App {
  /** The port that the server listens on. @throws before `start`. */
  publicPort(): number;
}

const finishWithinMs = 10_000;
/** Long enough for balancers in front, which check readiness only at intervals. */
const drainWithinMs = 8000;

export async function createApp(
  config: GatewayConfig,
  runtime: RuntimeContext,
  options: GatewayOptions = {},
): Promise<GatewayApp> {
  const { log, problems } = runtime;
  const { now = Date.now, probeTimeoutMs = 2000, consoleFolder } = options;
  const { keys, verifySession } = createSessions(config, runtime, now);
  const bus = createBus(config, runtime);
  const upstreams = createUpstreams(config, { runtime, limits: options.limits, bus });
  const deps: Deps = {
    ...runtime,
    authenticator: createAuthenticator({
      sign: await createIdentitySigner(config.IDENTITY_SIGNING_KEY),
      now,
      onToken: countTokens(runtime),
      verifySession,
      localRequestFault: developmentRuleOf(config),
    }),
    findDestination: createRoutingTable(routers),
    upstreams,
    requestsInFlight: new RequestsInFlight(routers),
    checkHealth: createSystemHealth(
      forEachUpstream((name) => createServiceProbe(urlsOf(config, name), probeTimeoutMs)),
      runtime.stalls,
    ),
    mcpTools: options.mcpTools ?? createApiTools(routers),
    trustedProxies: config.TRUSTED_PROXIES,
    publicOrigin: new URL(publicUrlOf(config)).origin,
    protectedResource: protectedResourceOf(config),
    console: createConsole(config, consoleFolder),
    collector: config.OTEL_EXPORTER_OTLP_ENDPOINT
      ? createCollector(config.OTEL_EXPORTER_OTLP_ENDPOINT)
      : null,
  };
  const clocks = watchClocks(
    forEachUpstream((name) => urlsOf(config, name)),
    { ...runtime, now },
  );
  const server = createPublicServer(deps);
  let port: number | undefined;
  return {
    bus,
    mount: () => {},
    readiness: async () => ({ listener: server.listening ? 'ok' : 'not listening' }),
    publicPort: () => {
      if (port === undefined) throw new Error('the gateway has not started');
      return port;
    },
    start: async () => {
      port = await openPublicServer(server, config);
      keys?.start();
      clocks.start();
      if (bus) void connectBus({ bus, ...runtime });
      for (const line of warningsOf(config)) log.warn(line);
      for (const problem of identityProblems(config)) problems.note(problem);
      log.info({ host: config.HOST, port }, 'open to the public');
    },
    drain: () => drainServer(server, drainWithinMs),
    stop: async () => {
      await closeServer(server, finishWithinMs);
      keys?.stop();
      clocks.stop();
      await bus?.close();
      for (const upstream of Object.values(upstreams)) upstream.close();
    },
  };
}
