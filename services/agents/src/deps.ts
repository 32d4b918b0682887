import type { Deps as AnsweringDeps } from './answering/deps.ts';
import type { Deps as AppsDeps } from './apps/deps.ts';
import type { Deps as ArchiveDeps } from './archive/deps.ts';
import type { Deps as ConversationsDeps } from './conversations/deps.ts';
import type { Deps as DefinitionsDeps } from './definitions/deps.ts';
import type { Deps as ErasureDeps } from './erasure/deps.ts';
import type { Deps as EvaluationsDeps } from './evaluations/deps.ts';
import type { Deps as ExternalToolsDeps } from './external-tools/deps.ts';
import type { Deps as InteractionsDeps } from './interactions/deps.ts';
import type { Deps as KnowledgeDeps } from './knowledge/deps.ts';
import type { Deps as LiveDeps } from './live/deps.ts';
import type { Deps as McpDeps } from './mcp/deps.ts';
import type { Deps as MediaDeps } from './media/deps.ts';
import type { Deps as ModelsDeps } from './models/deps.ts';
import type { Deps as RecordingsDeps } from './recordings/deps.ts';
import type { Deps as ReleasesDeps } from './releases/deps.ts';
import type { Deps as RoutingDeps } from './routing/deps.ts';
import type { Deps as ShadowsDeps } from './shadows/deps.ts';
import type { Deps as StatisticsDeps } from './statistics/deps.ts';
import type { Deps as TakeoverDeps } from './takeover/deps.ts';
import type { Deps as ToolsDeps } from './tools/deps.ts';
import type { Deps as TracesDeps } from './traces/deps.ts';
import type { Deps as TrialsDeps } from './trials/deps.ts';
import type { Deps as TurnsDeps } from './turns/deps.ts';

/** The needs of all modules together; `app.ts` makes it. */
export type Deps = AnsweringDeps &
  AppsDeps &
  ArchiveDeps &
  ConversationsDeps &
  DefinitionsDeps &
  ErasureDeps &
  EvaluationsDeps &
  ExternalToolsDeps &
  InteractionsDeps &
  KnowledgeDeps &
  LiveDeps &
  McpDeps &
  MediaDeps &
  ModelsDeps &
  RecordingsDeps &
  ReleasesDeps &
  RoutingDeps &
  ShadowsDeps &
  StatisticsDeps &
  TakeoverDeps &
  ToolsDeps &
  TracesDeps &
  TrialsDeps &
  TurnsDeps;
