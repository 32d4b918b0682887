import { loginPlatform } from '@botyard/contracts/http/platform';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { HttpError, unavailable } from '@botyard/shared/http/errors';
import type { Log } from '@botyard/shared/log/log';
import type { Secret } from '@botyard/shared/secrets/secret';
import { tryAccount } from '../../integrations/domain/try-account.ts';

/** Settings for signing in through the messenger. */
export interface MessengerLogin {
  botToken: Secret;
  /** Origins of the app and its API; the first one is the default. */
  origins: readonly string[];
  /** @throws HttpError 503 while the platform rejects the bot or doesn't answer. */
  botUsername(): Promise<string>;
}

/** The login bot belongs to no tenant, and has no integration. */
const installation = { tenantId: platformTenantId, botId: platformTenantId, integrationId: platformTenantId };

const rememberedMs = 3_600_000;
/** After a failure, the platform is asked again only after this time, for any number of requests. */
const failureRememberedMs = 5000;

/** The bot's username is read from the platform and cached for an hour. */
export function createMessengerLogin(
  deps: Parameters<typeof tryAccount>[0] & { log: Log },
  { botToken, origins }: Pick<MessengerLogin, 'botToken' | 'origins'>,
): MessengerLogin {
  let cachedUsername: { username: Promise<string>; until: number } | undefined;
  const ask = async () => {
    try {
      const credentials = { botToken: botToken.reveal() };
      const { secrets } = await tryAccount(deps, installation, loginPlatform, { credentials, settings: {} });
      return secrets.botUsername!;
    } catch (error) {
      if (cachedUsername) cachedUsername.until = performance.now() + failureRememberedMs;
      if (error instanceof HttpError && error.status === 422)
        deps.log.error(
          'the messenger rejects MESSENGER_LOGIN_BOT_TOKEN: signing in through it is not possible',
        );
      throw unavailable('the login bot is not available at the moment: try again later', { cause: error });
    }
  };
  return {
    botToken,
    origins,
    botUsername: async () => {
      if (!cachedUsername || cachedUsername.until <= performance.now()) {
        cachedUsername = { username: Promise.resolve(''), until: performance.now() + rememberedMs };
        cachedUsername.username = ask();
      }
      return await cachedUsername.username;
    },
  };
}
