import { maxModelsListed } from '@botyard/contracts/http/provider-model';
import { providerTraits } from '@botyard/contracts/providers';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import { ModelError } from './call-failure.ts';
import { providerFetch } from './provider-fetch.ts';
import type { ProviderRequest } from './provider-request.ts';
import type { AnswerReader } from './read-answer.ts';
import type { RetryBudget } from './retry-budget.ts';
import { type ModelsAsked, storable } from './wire.ts';

const maxNameUnits = 200;

/** Asks a provider for the names of its models, sorted. @throws ModelError; the signal's reason. */
export async function listModelsAt(
  address: string,
  { provider, apiKey, signal }: ModelsAsked,
  { request, retries, reader }: { request: ProviderRequest; retries: RetryBudget; reader: AnswerReader },
): Promise<string[]> {
  const isAnthropic = providerTraits[provider].protocol === 'anthropic';
  const url = isAnthropic ? `${address}/v1/models?limit=${maxModelsListed}` : `${address}/models`;
  const key = apiKey?.reveal();
  const keyHeader = isAnthropic ? { 'x-api-key': `${key}` } : { authorization: `Bearer ${key}` };
  const headers = {
    ...(key === undefined ? {} : keyHeader),
    ...(isAnthropic ? { 'anthropic-version': '2023-06-01' } : {}),
  };
  const reach = providerFetch({ request, apiKey, retries, reader, onUsage: () => undefined });
  const response = await reach(url, { headers, signal });
  if (!response.ok) throw new ModelError('refused', { status: response.status });
  const { data } = Object(tryParseForeignJson(await response.text())) as { data?: unknown };
  if (!Array.isArray(data)) throw new ModelError('unusable answer');
  const names = data.map((model: unknown) => (Object(model) as { id?: unknown }).id).filter(isName);
  return [...new Set(names.map(storable))].sort().slice(0, maxModelsListed);
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxNameUnits;
