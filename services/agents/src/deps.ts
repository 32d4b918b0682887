import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Egress } from '@botyard/shared/http/egress/egress';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { ReleaseWhile, Semaphore } from '@botyard/shared/work/semaphore';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { Summarizer } from './answering/domain/summaries/summarizer.ts';
import type { KeysClient } from './clients/keys.ts';
import type { TenancyClient } from './clients/tenancy.ts';
import type { UsageClient } from './clients/usage.ts';
import type { AgentsConfig } from './config.ts';
import type { ToolProvider } from './external-tools/clients/tool-provider.ts';
import type { DocumentReader } from './knowledge/domain/reader.ts';
import type { TextWorker } from './knowledge/domain/texts/text-worker.ts';
import type { LiveHub } from './live/domain/hub.ts';
import type { ModelClient } from './models/clients/model.ts';
import type { PlatformRest } from './models/domain/platform-rest.ts';
import type { WordIndexes } from './routing/domain/word-indexes.ts';
import type { Calculator } from './tools/domain/calculator.ts';
import type { RunningTrials } from './trials/domain/running-trials.ts';
import type { ImmediateTurns } from './turns/domain/begin-at-once.ts';
import type { SharedTurns } from './turns/domain/shared-turns.ts';

export interface Deps extends Foundation, SharedTurns {
  config: Pick<
    AgentsConfig,
    | 'TENANT_DOCUMENT_BYTES'
    | 'MODEL_TIMEOUT_MS'
    | 'AGENTS_RETRY_BASE_MS'
    | 'AGENTS_MAX_CONCURRENT_TURNS'
    | 'TRIAGE_MODEL'
    | 'TOOL_INTEGRATIONS_ENABLED'
    | 'EGRESS_ALLOWED_HOSTS'
    | 'PRIVATE_LLM_BASE_URL'
    | 'TRANSCRIPTION_MODEL'
    | 'PRIVATE_LLM_TRANSCRIPTION_MODEL'
  >;
  /** Waits for a model or a tool without occupying the turn's slot of the semaphore. */
  releaseWhile: ReleaseWhile;
  keys: KeysClient;
  model: ModelClient;
  tenancy: TenancyClient;
  platformRest: PlatformRest;
  egress: Egress;
  calculator: Calculator;
  texts: TextWorker;
  usage: UsageClient;
  wordIndexes: WordIndexes;
  tenantPurge: TenantPurge;
  documents: DocumentReader;
  summaries: Pick<Summarizer, 'offer'>;
  toolProvider: ToolProvider;
  /** Wakes the ticket worker, because a ticket may have been decided. */
  wakeTickets: (inMs?: number) => void;
  /** Limits concurrent transcriptions, fairly among tenants: each recording is held in memory as a whole. */
  transcriptions: Semaphore;
  /** Archive files, and files of messages. */
  objects: ObjectStore;
  /** Wakes the archivist, because a job may be due. */
  wakeArchivist: () => void;
  /** Listeners of live events. */
  live: Pick<LiveHub, 'listen' | 'watchAccess'>;
  trials: RunningTrials;
  immediateTurns: ImmediateTurns;
  /** Wakes the worker, because messages may be waiting for an answer. */
  wakeWorker: (inMs?: number) => void;
}
