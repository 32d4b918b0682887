import { Provider } from '@botyard/contracts/http/provider';
import { providerNames } from '@botyard/contracts/providers';
import { ceiling } from '@botyard/shared/config/ceiling';
import { domainConfig, exactlyTrue, httpAddress } from '@botyard/shared/config/config';
import { webhookOrigin } from '@botyard/shared/config/platform-addresses';
import {
  modelServerAddress,
  providerAddressesOf,
  providerAddressSettings,
} from '@botyard/shared/config/provider-addresses';
import { optionalFor, shown, switchedOffBy } from '@botyard/shared/config/shown';
import { objectStoreSettings } from '@botyard/shared/files/objects/settings';
import { allowedHosts } from '@botyard/shared/http/egress/allowed-hosts';
import { Secret } from '@botyard/shared/secrets/secret';
import { keyringSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

export const agentsConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  ...objectStoreSettings,
  ...providerAddressSettings,
  PRIVATE_LLM_BASE_URL: optionalFor(modelServerAddress, 'agents of the private LLM do not answer'),
  /** The model for agents of the private LLM whose definition says `default`. */
  PRIVATE_LLM_MODEL: shown(z.string().default('default')),
  /** OpenAI's model for transcription of recordings. */
  TRANSCRIPTION_MODEL: shown(z.string().min(1).default('gpt-4o-mini-transcribe')),
  /** The same for the private LLM, whose server implements OpenAI's `/audio/transcriptions`. */
  PRIVATE_LLM_TRANSCRIPTION_MODEL: optionalFor(
    shown(z.string().min(1)),
    'recordings are transcribed by OpenAI alone, where there is a key',
  ),
  /** Limit on every answer, whatever its bot's setting (REQ-REL-8). */
  MODEL_TIMEOUT_MS: z.coerce.number().int().min(100).max(600_000).default(120_000),
  /**
   * Wait before the second attempt of a turn that failed because of an internal fault; it doubles with every attempt.
   */
  AGENTS_RETRY_BASE_MS: z.coerce.number().int().min(1).max(2000).default(1000),
  /** Hosts that tools may reach over plain HTTP and at private addresses, if their tenant allows them, too. */
  EGRESS_ALLOWED_HOSTS: shown(allowedHosts),
  WEBHOOK_BASE_URL: webhookOrigin.default('http://localhost:3001'),
  /** The gateway's address for browsers; by default the one for platforms. */
  PUBLIC_BASE_URL: httpAddress.optional(),
  /** The `provider/model` that chooses an agent when triage can't. No model is called without it. */
  TRIAGE_MODEL: optionalFor(
    z
      .string()
      .regex(new RegExp(`^(${providerNames.join('|')})/\\S{1,200}$`))
      .transform((text) => {
        const [provider, model] = text.split(/\/(.+)/);
        return { provider: Provider.parse(provider), model: model ?? '' };
      }),
    'no model is asked where triage can’t tell agents apart',
  ),
  TOOL_INTEGRATIONS_ENABLED: switchedOffBy(
    shown(exactlyTrue),
    'external tools are off, and their routes are 503',
  ),
  TOOL_INTEGRATIONS_API_URL: httpAddress.default('https://backend.composio.dev/api/v3'),
  TOOL_INTEGRATIONS_API_KEY: z
    .string()
    .transform((key) => new Secret(key))
    .optional(),
  /** Limit on the original bytes of each tenant's documents. */
  TENANT_DOCUMENT_BYTES: ceiling(200 * 1024 ** 2),
  AGENTS_MAX_CONCURRENT_TURNS: z.coerce.number().int().min(1).max(1000).default(64),
});

export type AgentsConfig = z.output<typeof agentsConfig>;

/** The addresses of the settings by provider. */
export const modelAddressesOf = (config: AgentsConfig): Record<Provider, string | undefined> => ({
  ...providerAddressesOf(config),
  'private-llm': config.PRIVATE_LLM_BASE_URL,
});
