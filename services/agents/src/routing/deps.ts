import type { AgentsConfig } from '../config.ts';
import type { Deps as ConversationsDeps } from '../conversations/deps.ts';
import type { Deps as ModelsDeps } from '../models/deps.ts';
import type { WordIndexes } from './domain/word-indexes.ts';

export type Deps = ConversationsDeps &
  ModelsDeps & {
    config: Pick<AgentsConfig, 'TRIAGE_MODEL'>;
    wordIndexes: WordIndexes;
  };
