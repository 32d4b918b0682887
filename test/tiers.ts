import { internalTests } from './tests-by-import.ts';

/**
 * Which tests `npm test` runs, and which are left to `npm run test:full`: those that look into running services, kill
 * processes, wait for outages, walk through every combination or start whole systems. `npm test -- <path>` runs what
 * the path names, whichever tier it is in.
 */
export type Tier = 'fast' | 'full' | 'all';

export const tier = (process.env.BOTYARD_TIER ?? 'all') as Tier;

/**
 * Walks through every combination draw a sample by a printed seed in the fast tier, and leave nothing out otherwise.
 */
export const drawsSample = tier === 'fast';

const slowNames = [
  // Processes that are killed, and their leftovers.
  ...['kills', 'killed', 'crashes', 'mail-crashes', 'renewal-kills', 'renewal-crashes', 'sender-fencing'],
  // Outages and deadlines that are waited for.
  ...[
    'calculator',
    'checker',
    'clocks',
    'consumer-versions',
    'delay-notice',
    'bus-watch',
    'failover',
    'first-connection',
    'growth',
    'model-answers',
    'outages',
    'outbox',
    'polling-outages',
    'reader',
    'revocation-outage',
    'upstream',
    'watched-objects',
    'webhook-health',
  ],
  // Every combination, every table, every odd input.
  ...[
    'every-table',
    'foreign-input',
    'hostile-fields',
    'hostile-input',
    'id-swapping',
    'named-tenant',
    'order',
    'resolve-matrix',
    'walk-model',
    'weigh',
  ],
  // Long stories.
  ...[
    'delete-tenant',
    'deploy',
    'erasure',
    'mail-sender',
    // It also needs openssl, which a bare system lacks.
    'nats-routes',
    'postgres',
    'quota',
    'reconcile',
    'sender-refusals',
    'tls',
  ],
].map((name) => `**/${name}.test.ts`);

/**
 * The walks through everything that a service sends and receives. Those of keys and the gateway are in the fast tier.
 * The others wait for requests that agents sends every ten seconds, and for neighbours with a time limit.
 */
const slowContracts = ['agents', 'tenancy', 'usage', 'webhooks'].map(
  (name) => `test/contracts/${name}.test.ts`,
);

/** They wait for deadlines, fill limits or start many processes, each for more than five seconds. */
const slowRoutes = [
  'libs/shared/test/bus/{consumer,durable,lost-questions}',
  'libs/shared/test/db/fair-connections',
  'libs/shared/test/files/objects/object-store',
  'services/agents/test/external-tools/clients/tool-provider',
  'services/agents/test/knowledge/domain/read-apart',
  'services/agents/test/interactions/routes/dead-letters',
  'services/gateway/test/clients/session-keys',
  'services/gateway/test/routes/{event-streams,otel}',
  'services/tenancy/test/limits/routes/limits',
  'services/tenancy/test/operations/routes/kept-admins',
  'services/tenancy/test/policies/domain/trial',
  'services/tenancy/test/policy-migration/routes/migrations',
  'services/webhooks/test/delivery/domain/send',
  'services/webhooks/test/files/domain/spool',
  'services/webhooks/test/platforms/mailgun/domain/inbound/mail-reading',
  'services/webhooks/test/platforms/mailgun/routes/{files,held-open,storage}',
].map((path) => `${path}.test.ts`);

/** Every command of the tools as a process of its own; their command lines are tested in the fast tier without one. */
const slowTools = ['tools/command-line/test/scripts.test.ts'];

/** Tests of single parts that are left to the full tier. */
export const slowParts = [...slowNames, ...slowContracts, ...slowRoutes, ...slowTools, ...internalTests()];

/**
 * They move the timers of their whole process. In a process that other files have used, leftover timers run along: a
 * minute of the clock took over a minute.
 */
export const movedTimers = ['clock-watch', 'noisy-tenant-throttle'].map(
  (name) => `libs/shared/test/**/${name}.test.ts`,
);

/** Walks that the fast tier samples; the full tier leaves nothing of them out. */
export const sampledWalks = ['test/access.test.ts', 'test/other-methods.test.ts'];

/**
 * Whole systems of processes, of which the fast tier has the way of a message, the start, and a walk through the
 * console.
 */
export const stories = ['message-flow', 'start-up', 'console/walk'].map((name) => `test/e2e/${name}.test.ts`);
export const systems = [
  'test/e2e/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'tools/{fuzz,launcher}/test/**/*.test.ts',
];
