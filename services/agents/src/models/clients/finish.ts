/** How an answer ended. `paused`: the provider wants its answer back to continue it. */
export type Finish = 'complete' | 'cut' | 'filtered' | 'failed' | 'paused';

const reasons: Readonly<Record<Exclude<Finish, 'complete'>, readonly string[]>> = {
  cut: [
    // OpenAI, Anthropic, Gemini, Mistral, Cohere, and servers that name the window.
    ...['length', 'max_tokens', 'max_output_tokens', 'model_length', 'token_limit', 'context_length'],
    ...['model_context_window_exceeded', 'context_window_exceeded', 'context_length_exceeded', 'incomplete'],
  ],
  filtered: [
    // OpenAI and Azure, Anthropic, Gemini, Bedrock, Zhipu, Moonshot.
    ...['content_filter', 'content_filtered', 'refusal', 'safety', 'recitation', 'blocklist', 'sensitive'],
    ...['prohibited_content', 'spii', 'image_safety', 'guardrail_intervened', 'guardrails', 'error_toxic'],
  ],
  failed: [
    // OpenRouter, DeepSeek, vLLM and SGLang, Zhipu, Gemini, Cohere.
    ...['error', 'insufficient_system_resource', 'abort', 'aborted', 'cancelled', 'network_error'],
    ...['malformed_function_call', 'engine_overloaded', 'timeout', 'unavailable'],
  ],
  paused: ['pause_turn'],
};

const finishOf = new Map(
  Object.entries(reasons).flatMap(([finish, words]) =>
    words.map((word) => [word, finish as Finish] as const),
  ),
);

/** The meaning of a provider's reason. An unknown one says nothing, so the answer counts as complete. */
export const readFinish = (reason: unknown): Finish =>
  (typeof reason === 'string' ? finishOf.get(reason.trim().toLowerCase()) : undefined) ?? 'complete';

const maxUnitsOfReason = 64;

/** The provider's own word, in a form for traces. */
export const shownReason = (reason: unknown): string | null =>
  typeof reason === 'string' && reason !== ''
    ? reason.slice(0, maxUnitsOfReason).replaceAll(/[^\w .:-]/g, '?')
    : null;
