import { randomUUID } from 'node:crypto';
import type { FakeTools } from '@botyard/testing/fake/fake-tools';
import type { FakeIdp } from '@botyard/testing/fake-idp';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { createApp as createAgents } from '../../services/agents/src/app.ts';
import { agentsConfig } from '../../services/agents/src/config.ts';
import { createApp as createKeys } from '../../services/keys/src/app.ts';
import { keysConfig } from '../../services/keys/src/config.ts';
import { createApp as createTenancy } from '../../services/tenancy/src/app.ts';
import { tenancyConfig } from '../../services/tenancy/src/config.ts';
import { createApp as createUsage } from '../../services/usage/src/app.ts';
import { usageConfig } from '../../services/usage/src/config.ts';
import { createApp as createWebhooks } from '../../services/webhooks/src/app.ts';
import { webhooksConfig } from '../../services/webhooks/src/config.ts';
import { loginSettings } from './messenger-login.ts';

/** No test asks a provider outside. */
const nowhere = 'http://nowhere.invalid';

/** All services, with their vendors played by fakes. */
export async function startServices(
  harness: ServiceHarness,
  { messenger, idp, tools }: { messenger: FakeMessenger; idp: FakeIdp; tools: FakeTools },
) {
  messenger.addBot({ token: loginSettings.MESSENGER_LOGIN_BOT_TOKEN });
  const [tenancy, keys, usage, agents, webhooks] = await Promise.all([
    harness.start({
      service: 'tenancy',
      schema: tenancyConfig,
      createApp: createTenancy,
      env: {
        MESSENGER_API_URL: messenger.url,
        IDP_API_URL: idp.url,
        IDP_SECRET_KEY: idp.secretKey,
        MAILER_DOMAIN: 'bots.example',
        // No server listens there.
        DNS_SERVERS: '127.0.0.1:9',
        ...loginSettings,
      },
    }),
    harness.start({
      service: 'keys',
      schema: keysConfig,
      createApp: createKeys,
      env: { OPENAI_BASE_URL: `${nowhere}/v1`, ANTHROPIC_BASE_URL: nowhere },
    }),
    harness.start({ service: 'usage', schema: usageConfig, createApp: createUsage }),
    harness.start({
      service: 'agents',
      schema: agentsConfig,
      createApp: createAgents,
      env: {
        TOOL_INTEGRATIONS_ENABLED: 'true',
        TOOL_INTEGRATIONS_API_URL: tools.url,
        TOOL_INTEGRATIONS_API_KEY: tools.apiKey,
      },
    }),
    harness.start({
      service: 'webhooks',
      schema: webhooksConfig,
      createApp: createWebhooks,
      env: { MESSENGER_API_URL: messenger.url },
    }),
  ]);
  // Rows of a finished round, so that one can be read before a round begins.
  await harness.asOwner(
    `insert into tenancy.restarts (restart_id, service_name, state, instances, started_by)
     values ($1, 'usage', 'done', '[]', $1)`,
    [randomUUID()],
  );
  return { tenancy, keys, usage, agents, webhooks };
}
