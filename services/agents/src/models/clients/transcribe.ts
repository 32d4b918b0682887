import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import { ModelError } from './call-failure.ts';
import { providerFetch } from './provider-fetch.ts';
import type { ProviderRequest } from './provider-request.ts';
import type { AnswerReader, SaidUsage } from './read-answer.ts';
import type { RetryBudget } from './retry-budget.ts';
import { tokensOf } from './tokens.ts';
import { type ModelAnswer, type ModelCall, storable } from './wire.ts';

/** A recording of a person. */
export interface Recording {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: string;
  /** Providers derive the type of a recording from its file extension. */
  name: string;
}

/** At the usual 32 kbit/s, a provider counts 10 tokens per second of recording. */
const bytesPerToken = 400;

/** An upper bound of a recording's tokens. It is the estimate if the provider reports none. */
export const tokensOfRecording = ({ bytes }: Pick<Recording, 'bytes'>): number =>
  Math.ceil(bytes.length / bytesPerToken);

/** Transcribes a recording with a server that implements OpenAI's protocol. @throws ModelError; the signal's reason. */
export async function transcribeAt(
  address: string,
  { model, apiKey, signal }: Pick<ModelCall, 'model' | 'apiKey' | 'signal'>,
  recording: Recording,
  { request, retries, reader }: { request: ProviderRequest; retries: RetryBudget; reader: AnswerReader },
): Promise<ModelAnswer> {
  let said: SaidUsage = { inputTokens: undefined, outputTokens: undefined };
  const onUsage = (usage: SaidUsage) => {
    said = usage;
  };
  const body = new FormData();
  body.set('file', new Blob([recording.bytes], { type: recording.mediaType }), recording.name);
  body.set('model', model);
  body.set('response_format', 'json');
  const headers = apiKey ? { authorization: `Bearer ${apiKey.reveal()}` } : {};
  const reach = providerFetch({ request, apiKey, retries, reader, onUsage });
  const response = await reach(`${address}/audio/transcriptions`, { method: 'POST', body, headers, signal });
  if (!response.ok) throw new ModelError('refused', { status: response.status });
  const { text } = Object(tryParseForeignJson(await response.text())) as { text?: unknown };
  if (typeof text !== 'string') throw new ModelError('unusable answer');
  return {
    text: storable(text),
    toolCalls: [],
    said: [],
    usage: usageOf(said, recording, text),
    finish: 'complete',
    finishReason: null,
    thoughtUnits: 0,
    leftOut: [],
  };
}

function usageOf({ inputTokens, outputTokens }: SaidUsage, recording: Recording, text: string) {
  return {
    inputTokens: inputTokens ?? tokensOfRecording(recording),
    outputTokens: outputTokens ?? tokensOf(text),
    isEstimated: inputTokens === undefined || outputTokens === undefined,
  };
}
