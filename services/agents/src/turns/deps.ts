import type { Deps as AnsweringDeps } from '../answering/deps.ts';
import type { Summarizer } from '../answering/domain/summaries/summarizer.ts';
import type { TenancyClient } from '../clients/tenancy.ts';
import type { AgentsConfig } from '../config.ts';
import type { Deps as RecordingsDeps } from '../recordings/deps.ts';
import type { Deps as TakeoverDeps } from '../takeover/deps.ts';
import type { SharedTurns } from './domain/shared-turns.ts';

export type Deps = AnsweringDeps &
  RecordingsDeps &
  TakeoverDeps &
  SharedTurns & {
    config: Pick<AgentsConfig, 'MODEL_TIMEOUT_MS' | 'AGENTS_RETRY_BASE_MS' | 'AGENTS_MAX_CONCURRENT_TURNS'>;
    tenancy: TenancyClient;
    summaries: Pick<Summarizer, 'offer'>;
  };
