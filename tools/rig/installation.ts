import { randomBytes } from 'node:crypto';
import { type FakeTools, startFakeTools } from '@botyard/testing/fake/fake-tools';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { startFakeMailer } from '@botyard/testing/fake-mailer';
import { startFakeModel } from '@botyard/testing/fake-model';
import { System } from '../../test/e2e/system.ts';
import type { Cleanup } from './cleanup.ts';

/** All of Botyard as `npm start` runs it, with people who sign in and with fakes as platforms. */
export interface Installation {
  system: System;
  idp: FakeIdp;
  tools: FakeTools;
  /** The secret that signs the identity provider's deliveries. */
  idpWebhookSecret: string;
  /** Admins of this organization are operators. */
  platformOrgId: string;
  mailDomain: string;
}

export async function startInstallation(
  cleanup: Cleanup,
  env: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const platformOrgId = 'org_platform';
  const mailDomain = 'bots.example';
  const idpWebhookSecret = `whsec_${randomBytes(24).toString('base64')}`;
  const [idp, tools, mailer, models] = await Promise.all([
    startFakeIdp(),
    startFakeTools(),
    startFakeMailer({ retryScale: 0.001, acceptAnyKey: true }),
    startFakeModel(),
  ]);
  await cleanup.add(async () => {
    await Promise.all([idp.close(), tools.close(), mailer.close(), models.close()]);
  });
  const system = await System.start({
    IDP_ISSUER: idp.issuer,
    IDP_API_URL: idp.url,
    IDP_SECRET_KEY: idp.secretKey,
    IDP_WEBHOOK_SECRET: idpWebhookSecret,
    IDP_PLATFORM_ORG_ID: platformOrgId,
    TOOL_INTEGRATIONS_ENABLED: 'true',
    TOOL_INTEGRATIONS_API_URL: tools.url,
    TOOL_INTEGRATIONS_API_KEY: tools.apiKey,
    MESSENGER_LOGIN_BOT_TOKEN: `7123456789:${'L'.repeat(35)}`,
    MESSENGER_LOGIN_ORIGINS: 'http://localhost:3001',
    WEBHOOK_BASE_URL: 'https://hooks.example.com',
    OPENAI_BASE_URL: models.url,
    ANTHROPIC_BASE_URL: models.url.replace(/\/v1$/, ''),
    MAILER_API_URL: mailer.url,
    MAILER_API_KEY: mailer.apiKey,
    MAILER_DOMAIN: mailDomain,
    ...env,
  });
  await cleanup.add(async () => void (await system.stop()));
  await system.healthy();
  return { system, idp, tools, idpWebhookSecret, platformOrgId, mailDomain };
}
