import { createObjects } from '@botyard/shared/files/objects/settings';
import { createEgress } from '@botyard/shared/http/egress/egress';
import { createDomainApp, createFoundation } from '@botyard/shared/service/foundation';
import type { App, RuntimeContext } from '@botyard/shared/service/run-service';
import { createKeysClient } from './clients/keys.ts';
import { createModelClient } from './clients/model.ts';
import { createTenancyClient } from './clients/tenancy.ts';
import { createToolProvider } from './clients/tool-provider.ts';
import { createUsageClient } from './clients/usage.ts';
import type { AgentsConfig } from './config.ts';
import { answerRequests, subscriptions } from './consumers.ts';
import type { Deps } from './deps.ts';
import { PlatformRest } from './domain/answers/platform-rest.ts';
import { createEditPruning } from './domain/chats/prune-edits.ts';
import { createDocumentReader } from './domain/documents/reader.ts';
import { createTicketWorker } from './domain/integrations/calls/ticket-worker.ts';
import { createToolHousekeeping } from './domain/integrations/housekeeping.ts';
import { createPrivateLlmOf } from './domain/integrations/private-llm.ts';
import { createArchivist } from './domain/retention/archive/archivist.ts';
import { createWordIndexes } from './domain/routing/word-index.ts';
import { createSummarizer } from './domain/summaries/summarizer.ts';
import { createTenantPurge } from './domain/tenant-purge.ts';
import { TextWorker } from './domain/texts/text-worker.ts';
import { Calculator } from './domain/tools/calculator.ts';
import { createLostMessageWatch } from './domain/turns/lost-at-the-end.ts';
import { createWorker } from './domain/turns/worker.ts';
import { refuseUnlessEnabled } from './routes/integrations/enabled.ts';
import { routes } from './routes.ts';

export async function createApp(config: AgentsConfig, runtime: RuntimeContext): Promise<App> {
  const foundation = createFoundation('agents', config, runtime);
  const deps: Deps = {
    ...foundation,
    config,
    releaseWhile: (wait) => wait(),
    tenancy: createTenancyClient(foundation.bus),
    keys: createKeysClient(foundation.bus),
    usage: createUsageClient(foundation.bus),
    model: createModelClient({
      openai: config.OPENAI_BASE_URL,
      anthropic: config.ANTHROPIC_BASE_URL,
      privateLlm: config.PRIVATE_LLM_BASE_URL,
      privateLlmModel: config.PRIVATE_LLM_MODEL,
      privateLlmOf: createPrivateLlmOf(foundation.database, config),
    }),
    platformRest: new PlatformRest(),
    egress: createEgress({ allowedHosts: config.EGRESS_ALLOWED_HOSTS }),
    calculator: new Calculator(),
    texts: new TextWorker(),
    wordIndexes: createWordIndexes(foundation.bus),
    tenantPurge: createTenantPurge(foundation),
    documents: createDocumentReader(foundation),
    summaries: { offer: () => undefined },
    toolProvider: createToolProvider({
      url: config.TOOL_INTEGRATIONS_API_URL,
      apiKey: config.TOOL_INTEGRATIONS_API_KEY,
    }),
    wakeTickets: () => undefined,
    objects: createObjects(config, foundation.bus),
    wakeArchivist: () => undefined,
    wakeWorker: () => undefined,
  };
  const worker = createWorker(deps);
  const tickets = createTicketWorker(deps);
  const summarizer = createSummarizer(deps);
  const archivist = createArchivist(deps);
  deps.wakeArchivist = () => archivist.wake();
  deps.summaries = summarizer;
  deps.wakeWorker = (inMs) => worker.wake(inMs);
  deps.wakeTickets = (inMs) => tickets.wake(inMs);
  return createDomainApp({
    config,
    deps,
    routes,
    subscriptions,
    onBus: answerRequests,
    workers: [
      ...[worker, tickets, summarizer, deps.calculator, deps.texts, deps.tenantPurge, deps.documents],
      ...[createEditPruning(deps), createToolHousekeeping(deps), archivist, createLostMessageWatch(deps)],
    ],
    mountMore: (app) => refuseUnlessEnabled(app, config.TOOL_INTEGRATIONS_ENABLED),
  });
}
