import { randomUUID } from 'node:crypto';
import {
  findIntegration,
  type IntegrationState,
  integrationBinding,
  integrationSaved,
} from '@botyard/contracts/events/tenancy';
import { identityHeader } from '@botyard/shared/auth/identity';
import { answer } from '@botyard/shared/bus/requests';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import { type Handler, type Listening, listenOnLoopback, readBody } from '@botyard/testing/fake/fake-server';
import {
  type FakeWhatsApp,
  type FakeWhatsAppOptions,
  startFakeWhatsApp,
} from '@botyard/testing/fake-whatsapp';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import type { Business } from '@botyard/testing/whatsapp/new-business';
import { createApp } from '../../../src/app.ts';
import { webhooksConfig } from '../../../src/config.ts';

/** A number with a bot, as the tenancy service would announce it. */
export interface ConnectedNumber {
  business: Business;
  tenantId: string;
  botId: string;
  integrationId: string;
  verifyToken: string;
  revision: number;
}

export const appSecrets = { secret: 'secret-of-the-app', verifyToken: 'token-of-the-app' };

/** The webhooks service with the platform, behind a stand-in of the gateway that the platform calls. */
export class WhatsAppServices {
  readonly harness: ServiceHarness;
  readonly whatsapp: FakeWhatsApp;
  readonly #known = new Map<string, ConnectedNumber>();
  readonly #gateway: Listening;
  #webhooks: TestService | undefined;

  private constructor(harness: ServiceHarness, whatsapp: FakeWhatsApp, gateway: Listening) {
    this.harness = harness;
    this.whatsapp = whatsapp;
    this.#gateway = gateway;
  }

  /** The address that the platform calls. */
  get baseUrl(): string {
    return this.#gateway.origin;
  }

  get webhooks(): TestService {
    if (!this.#webhooks) throw new Error('the service was not started');
    return this.#webhooks;
  }

  static async open(options: FakeWhatsAppOptions = {}): Promise<WhatsAppServices> {
    const harness = await ServiceHarness.open();
    const whatsapp = await startFakeWhatsApp({ retryScale: 0.01, ...options });
    const gateway = await listenOnLoopback((req, res) => services.#pass(req, res));
    const services = new WhatsAppServices(harness, whatsapp, gateway);
    await harness.busAs('agents');
    answer(await harness.busAs('tenancy'), findIntegration, async (wanted) => {
      const number = 'botId' in wanted ? services.#known.get(wanted.botId) : undefined;
      return { integration: number ? await services.#stateOf(number) : null };
    });
    return services;
  }

  async start(env: Record<string, string> = {}): Promise<void> {
    const settings = {
      WEBHOOK_BASE_URL: this.baseUrl,
      WHATSAPP_API_URL: this.whatsapp.url,
      WHATSAPP_APP_SECRET: appSecrets.secret,
      WHATSAPP_VERIFY_TOKEN: appSecrets.verifyToken,
      ...env,
    };
    const service = { service: 'webhooks', schema: webhooksConfig, createApp, env: settings } as const;
    this.#webhooks = await this.harness.start(service);
  }

  async close(): Promise<void> {
    await this.harness.close();
    await this.whatsapp.close();
    await this.#gateway.close();
  }

  /** Passes a request on as the gateway does. */
  readonly #pass: Handler = async (req, res) => {
    const identity = await this.webhooks.identityOf(anonymous);
    const headers = { ...(req.headers as Record<string, string>), [identityHeader]: identity };
    const body = await readBody(req);
    const answer = await fetch(`${this.webhooks.url}${req.url}`, {
      method: req.method ?? 'GET',
      headers: without(headers, 'host', 'connection', 'content-length', 'transfer-encoding'),
      ...(req.method === 'GET' ? {} : { body: new Uint8Array(body) }),
    });
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    res.end(Buffer.from(await answer.arrayBuffer()));
  };

  /** Connects a number to a bot, and waits until it is registered at the platform. */
  async connect(
    business = this.whatsapp.addBusiness(),
    tenantId: string = randomUUID(),
  ): Promise<ConnectedNumber> {
    const ids = { botId: randomUUID(), integrationId: randomUUID() };
    const number = { business, tenantId, ...ids, verifyToken: `verify-${randomUUID()}`, revision: 1 };
    this.#known.set(number.botId, number);
    await this.harness.publish(integrationSaved, await this.#stateOf(number));
    await eventually('the number is registered', async () => {
      const [row] = await this.harness.asOwner<{ isdone: boolean }>(
        'select registered_fingerprint is not null as isdone from webhooks.endpoints where integration_id = $1',
        [number.integrationId],
      );
      return row?.isdone;
    });
    return number;
  }

  async #stateOf({ business, ...number }: ConnectedNumber): Promise<IntegrationState> {
    const { tenantId, botId, integrationId, verifyToken, revision } = number;
    const secrets = {
      accessToken: business.token,
      phoneNumberId: business.number.id,
      businessAccountId: business.account.id,
      appSecret: business.app.secret,
      verifyToken,
    };
    const sealedSecrets = await Keyring.parse(this.harness.secretsKeys).seal(
      new Secret(JSON.stringify(secrets)),
      integrationBinding(number),
    );
    return {
      tenantId,
      botId,
      integrationId,
      integrationType: 'whatsapp',
      isEnabled: true,
      accountId: business.number.id,
      sealedSecrets,
      revision,
    };
  }
}

const without = (headers: Record<string, string>, ...names: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
