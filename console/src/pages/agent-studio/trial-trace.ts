import type { Schema } from '@botyard/client/client';

type ContextTrace = Schema<'ContextTrace'>;
export type ToolCall = ContextTrace['toolCalls'][number];

/** The `trace` of a trial's `done` event, whose shape the API's text describes. */
export interface TrialTrace {
  provider: string;
  model: string;
  key: ContextTrace['key'];
  context: NonNullable<ContextTrace['context']>;
  answer: NonNullable<ContextTrace['answer']>;
  toolCalls: ToolCall[];
  inputTokens: number;
  outputTokens: number;
  durationMs: number;
}
