import { type FakeModel, startFakeModel } from '@botyard/testing/fake-model';
import { type KeysServices, openKeysServices, storeKey } from './keys-services.ts';

export interface ProviderServices extends KeysServices {
  /** Plays all three providers. */
  model: FakeModel;
  close(): Promise<void>;
}

/** Addresses of the three providers, all at this fake. */
export const addressesOf = ({ url }: FakeModel): Record<string, string> => ({
  OPENAI_BASE_URL: url,
  ANTHROPIC_BASE_URL: url.replace(/\/v1$/, ''),
  PRIVATE_LLM_BASE_URL: url,
});

/** The keys service with providers that answer. */
export async function openProviderServices(env: Record<string, string> = {}): Promise<ProviderServices> {
  const model = await startFakeModel();
  const services = await openKeysServices({ ...addressesOf(model), ...env });
  const close = async () => {
    await services.harness.close();
    await model.close();
  };
  return { ...services, model, close };
}

export type ProviderName = 'openai' | 'anthropic' | 'private-llm';
let made = 0;

/** A key of acme's that nobody else has, and the text that was stored. */
export async function newKey(
  { keys, acme }: ProviderServices,
  provider: ProviderName = 'openai',
  scope: Record<string, unknown> = {},
): Promise<{ keyId: string; apiKey: string }> {
  made += 1;
  const apiKey = `sk-made-${made}-0123456789abcdef`;
  return { keyId: await storeKey(keys, acme, { provider, apiKey, ...scope }), apiKey };
}

export const validate = ({ keys, acme }: ProviderServices, keyId: string, service = keys) =>
  service.call('POST', `/api/keys/${acme.tenantId}/${keyId}/validate`, { as: acme.admin });

/** A key as the list shows it. */
export async function shownKey({ keys, acme }: ProviderServices, keyId: string) {
  const { body } = await keys.call('GET', `/api/keys/${acme.tenantId}?limit=500`, { as: acme.admin });
  return body.find((key: { keyId: string }) => key.keyId === keyId);
}

/** As if the last validation had been a minute ago. */
export const forgetLastValidation = ({ harness }: ProviderServices) =>
  harness.asOwner("update keys.keys set validated_at = validated_at - interval '1 minute'");
