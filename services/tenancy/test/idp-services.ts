import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { user } from '@botyard/testing/test-call';
import { createApp as createKeysApp } from '../../keys/src/app.ts';
import { keysConfig } from '../../keys/src/config.ts';
import { createApp as createWebhooksApp } from '../../webhooks/src/app.ts';
import { webhooksConfig } from '../../webhooks/src/config.ts';
import { deliver, newSigningSecret } from '../../webhooks/test/idp-deliveries.ts';
import { createApp } from '../src/app.ts';
import { tenancyConfig } from '../src/config.ts';

/** The path of the identity provider's events: from a signed delivery to a person's access, in another service too. */
export interface IdpServices {
  harness: ServiceHarness;
  tenancy: TestService;
  keys: TestService;
  /** Delivers events and waits until the tenancy service has taken them. @throws when one isn't answered 200. */
  tell(...events: unknown[]): Promise<void>;
  /** Tenants that a person reaches, with their role. */
  reachOf(idpUserId: string): Promise<{ tenantId: string; role: string }[]>;
}

export async function openIdpServices(env: Record<string, string> = {}): Promise<IdpServices> {
  const harness = await ServiceHarness.open();
  const secret = newSigningSecret();
  const [tenancy, keys, webhooks] = await Promise.all([
    startTenancy(harness, { env }),
    harness.start({ service: 'keys', schema: keysConfig, createApp: createKeysApp }),
    harness.start({
      service: 'webhooks',
      schema: webhooksConfig,
      createApp: createWebhooksApp,
      env: { MESSENGER_API_URL: 'http://messenger.invalid', IDP_WEBHOOK_SECRET: secret },
    }),
  ]);
  return {
    harness,
    tenancy,
    keys,
    tell: async (...events) => {
      for (const event of events) {
        const { status, text } = await deliver(webhooks, event, { secret });
        if (status !== 200) throw new Error(`the event was answered ${status}: ${text}`);
      }
      await harness.settled('tenancy', 'webhooks');
    },
    reachOf: async (idpUserId) => {
      const { body } = await tenancy.call('GET', '/api/current-user', { as: user(idpUserId) });
      return body.tenants;
    },
  };
}

export function startTenancy(
  harness: ServiceHarness,
  { idp, env = {}, namespace }: { idp?: FakeIdp; env?: Record<string, string>; namespace?: string } = {},
): Promise<TestService> {
  const settings = {
    MESSENGER_API_URL: 'http://messenger.invalid',
    IDP_API_URL: idp?.url ?? 'http://idp.invalid/v1',
    ...(idp ? { IDP_SECRET_KEY: idp.secretKey } : {}),
    ...env,
  };
  return harness.start(
    { service: 'tenancy', schema: tenancyConfig, createApp, env: settings },
    namespace ? { namespace } : {},
  );
}

export async function openWithFakeIdp(): Promise<{ harness: ServiceHarness; idp: FakeIdp }> {
  const [harness, idp] = await Promise.all([ServiceHarness.open(), startFakeIdp()]);
  return { harness, idp };
}

/** Deliveries in the provider's words. */
export const events = {
  user: (id: string, at: number, type = 'user.created') => ({
    type,
    timestamp: at,
    data: {
      id,
      first_name: id,
      primary_email_address_id: 'idn_1',
      email_addresses: [
        { id: 'idn_1', email_address: `${id}@example.com`, verification: { status: 'verified' } },
      ],
      updated_at: at,
    },
  }),
  userDeleted: (id: string, at: number) => ({
    type: 'user.deleted',
    timestamp: at,
    data: { id, deleted: true },
  }),
  organization: (id: string, at: number, name: string, createdBy?: string) => ({
    type: 'organization.updated',
    timestamp: at,
    data: { id, name, created_by: createdBy, updated_at: at },
  }),
  organizationDeleted: (id: string, at: number) => ({
    type: 'organization.deleted',
    timestamp: at,
    data: { id, deleted: true },
  }),
  membership: (
    [userId, orgId, role]: [userId: string, orgId: string, role: string],
    at: number,
    type: 'created' | 'updated' | 'deleted' = 'created',
  ) => ({
    type: `organizationMembership.${type}`,
    timestamp: at,
    data: {
      id: `orgmem_${userId}_${orgId}`,
      role,
      organization: { id: orgId, name: orgId, updated_at: 1_795_000_000_000 },
      public_user_data: { user_id: userId, first_name: userId },
      // A deletion carries the membership as it was last changed.
      updated_at: type === 'deleted' ? 1_795_100_000_000 : at,
    },
  }),
};
