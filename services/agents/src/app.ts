import { providerAddressesOf } from '@botyard/shared/config/provider-addresses';
import { createObjects } from '@botyard/shared/files/objects/settings';
import { createEgress } from '@botyard/shared/http/egress/egress';
import { createDomainApp, createFoundation, type Foundation } from '@botyard/shared/service/foundation';
import type { App, RuntimeContext } from '@botyard/shared/service/run-service';
import { Semaphore } from '@botyard/shared/work/semaphore';
import { Wakeup } from '@botyard/shared/work/wakeup';
import { createSummarizer } from './answering/domain/summaries/summarizer.ts';
import { ToolSearcher } from './answering/domain/tool-searcher.ts';
import { createArchivist } from './archive/domain/archivist.ts';
import { createKeysClient } from './clients/keys.ts';
import { createTenancyClient } from './clients/tenancy.ts';
import { createUsageClient } from './clients/usage.ts';
import { type AgentsConfig, modelAddressesOf } from './config.ts';
import { answerRequests, subscriptions } from './consumers.ts';
import type { Deps } from './deps.ts';
import { createTenantPurge } from './erasure/domain/tenant-purge.ts';
import { createEvaluationWorker } from './evaluations/domain/run-worker.ts';
import { createToolProvider } from './external-tools/clients/tool-provider.ts';
import { createTicketWorker } from './external-tools/domain/calls/ticket-worker.ts';
import { createPrivateLlmOf } from './external-tools/domain/private-llm.ts';
import { PresencePace } from './inbox/domain/presence-pace.ts';
import { createDocumentReader } from './knowledge/domain/reader.ts';
import { TextWorker } from './knowledge/domain/texts/text-worker.ts';
import { LiveHub } from './live/domain/hub.ts';
import { createVisits } from './mcp/domain/refresh.ts';
import { createAddressWatch } from './models/clients/address-watch.ts';
import { checkModelAddresses } from './models/clients/check-addresses.ts';
import type { LearnedAdjustments } from './models/clients/learned-adjustments.ts';
import { createModelClient, type ModelClient } from './models/clients/model.ts';
import { createLearnedAdjustments } from './models/domain/keep-learned.ts';
import { ModelLists } from './models/domain/model-lists.ts';
import { PlatformRest } from './models/domain/platform-rest.ts';
import { RecordingKeys } from './recordings/domain/recording-keys.ts';
import { mountExternalTools, routes } from './routes.ts';
import { createWordIndexes } from './routing/domain/word-indexes.ts';
import { createShadowWorker } from './shadows/domain/answer-turn.ts';
import { Calculator } from './tools/domain/calculator.ts';
import { RunningTrials } from './trials/domain/running-trials.ts';
import { createSharedTurns } from './turns/domain/shared-turns.ts';
import { createWorker } from './turns/domain/worker.ts';
import { createKeepers } from './workers.ts';

const transcriptionsAtOnce = { all: 8, ofTenant: 4 };

export async function createApp(config: AgentsConfig, runtime: RuntimeContext): Promise<App> {
  const foundation = createFoundation('agents', config, runtime);
  const live = new LiveHub(foundation);
  const { learned, keeper: learnedKeeper } = createLearnedAdjustments(foundation);
  const [turnsDue, ticketsDue, archiveDue] = [new Wakeup(), new Wakeup(), new Wakeup()];
  const [runsDue, shadowsDue] = [new Wakeup(), new Wakeup()];
  const base = {
    ...foundation,
    live,
    config,
    keyring: config.SECRETS_KEYS,
    recordingKeys: new RecordingKeys(config.SECRETS_KEYS),
    releaseWhile: <Result>(wait: () => Promise<Result>) => wait(),
    ...createSharedTurns(foundation.database),
    ...createClients(foundation),
    model: createModels(config, foundation, learned),
    platformRest: new PlatformRest(),
    egress: createEgress({ allowedHosts: config.EGRESS_ALLOWED_HOSTS }),
    visits: createVisits(),
    presencePace: new PresencePace(),
    publicBaseUrl: new URL(config.PUBLIC_BASE_URL ?? config.WEBHOOK_BASE_URL).origin,
    calculator: new Calculator(),
    toolSearcher: new ToolSearcher(),
    texts: new TextWorker(),
    wordIndexes: createWordIndexes(foundation.bus),
    tenantPurge: createTenantPurge(foundation),
    documents: createDocumentReader(foundation),
    toolProvider: createToolsOf(config),
    wakeTickets: ticketsDue.wake,
    transcriptions: new Semaphore(transcriptionsAtOnce.all, { maxOfOne: transcriptionsAtOnce.ofTenant }),
    objects: createObjects(config, foundation.bus),
    wakeArchivist: archiveDue.wake,
    wakeEvaluations: runsDue.wake,
    wakeShadows: shadowsDue.wake,
    trials: new RunningTrials(),
    wakeWorker: turnsDue.wake,
  };
  const summarizer = createSummarizer(base);
  const deps: Deps = {
    ...base,
    summaries: summarizer,
    modelLists: new ModelLists(base),
  };
  const [worker, tickets, archivist] = [createWorker(deps), createTicketWorker(deps), createArchivist(deps)];
  const [evaluations, shadows] = [createEvaluationWorker(deps), createShadowWorker(deps)];
  turnsDue.subscribe(worker);
  runsDue.subscribe(evaluations);
  shadowsDue.subscribe(shadows);
  ticketsDue.subscribe(tickets);
  archiveDue.subscribe(archivist);
  return createDomainApp({
    config,
    deps,
    routes,
    subscriptions,
    onBus: answerRequests,
    workers: [
      ...[worker, tickets, summarizer, deps.calculator, deps.texts, deps.tenantPurge, deps.documents],
      ...[archivist, evaluations, shadows, deps.toolSearcher, live, deps.trials, learnedKeeper],
      ...createKeepers(deps),
    ],
    checkPeers: () => checkModelAddresses(modelAddressesOf(config), deps.problems),
    mountMore: (app) => mountExternalTools(app, deps),
  });
}

const createToolsOf = ({ TOOL_INTEGRATIONS_API_URL: url, TOOL_INTEGRATIONS_API_KEY: apiKey }: AgentsConfig) =>
  createToolProvider({ url, apiKey });

const createClients = ({ bus }: Foundation) => ({
  tenancy: createTenancyClient(bus),
  keys: createKeysClient(bus),
  usage: createUsageClient(bus),
});

function createModels(
  config: AgentsConfig,
  foundation: Foundation,
  learned: LearnedAdjustments,
): ModelClient {
  return createModelClient(
    {
      ...providerAddressesOf(config),
      privateLlm: config.PRIVATE_LLM_BASE_URL,
      privateLlmModel: config.PRIVATE_LLM_MODEL,
      privateLlmOf: createPrivateLlmOf(foundation.database, config),
    },
    createAddressWatch(foundation.problems, modelAddressesOf(config)),
    learned,
  );
}
