import { randomInt, randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { signLogin } from '@botyard/testing/messenger/new-bot';
import type { Answer } from '@botyard/testing/test-call';
import { anonymous } from '@botyard/testing/test-call';
import { openTenancyServices, type TenancyServices } from './tenancy-services.ts';

export const loginBotToken = `7123456789:${'L'.repeat(35)}`;
export const appOrigin = 'https://app.example.com';

/**
 * The services with a bot for the login widget, `Botyard_Login`, and an app at two addresses unless others are given.
 */
export const openLoginServices = (
  origins = `${appOrigin},https://admin.example.com`,
): Promise<TenancyServices> =>
  openTenancyServices(({ messenger }) => {
    messenger.addBot({ token: loginBotToken, username: 'Botyard_Login' });
    return {
      MESSENGER_LOGIN_BOT_TOKEN: loginBotToken,
      MESSENGER_LOGIN_ORIGINS: origins,
    };
  });

/** The widget's fields for a new person, unless others are given; no two signatures are the same. */
export const widgetFields = (more: Record<string, string | number> = {}, botToken = loginBotToken) =>
  signLogin(botToken, {
    id: randomInt(1e9, 1e10),
    first_name: 'Anna',
    username: 'anna',
    photo_url: `https://t.me/i/userpic/${randomUUID()}.jpg`,
    ...more,
  });

/** A browser with its cookies, as far as signing in goes. */
export class LoginBrowser {
  readonly #services: Pick<TenancyServices, 'tenancy'>;
  cookie: string | undefined;
  state = '';

  constructor(services: Pick<TenancyServices, 'tenancy'>) {
    this.#services = services;
  }

  async begin(returnTo?: string): Promise<Answer> {
    const query = returnTo === undefined ? '' : `?${new URLSearchParams({ returnTo })}`;
    const answer = await this.call('GET', `/config${query}`);
    const cookie = answer.headers.get('set-cookie');
    if (cookie) this.cookie = cookie.split(';')[0];
    this.state = answer.body?.state ?? this.state;
    return answer;
  }

  /** As the widget sends the browser back. */
  comeBack(fields: Record<string, string>, state = this.state): Promise<Answer> {
    return this.call('GET', `/callback?${new URLSearchParams({ state, ...fields })}`);
  }

  complete(body?: object): Promise<Answer> {
    return this.call('POST', '/complete', body);
  }

  async status(): Promise<string> {
    return (await this.call('GET', '/status')).body.state;
  }

  call(method: string, path: string, body?: object): Promise<Answer> {
    const headers: Record<string, string> = this.cookie ? { cookie: this.cookie } : {};
    return this.#services.tenancy.call(method, `/api/messenger-auth${path}`, {
      as: anonymous,
      headers,
      ...(body ? { body } : {}),
    });
  }
}

/** Links an account to somebody, as they do it themselves. */
export const link = (
  { tenancy }: Pick<TenancyServices, 'tenancy'>,
  as: Identity | null,
  login: Record<string, string>,
): Promise<Answer> =>
  tenancy.call('POST', '/api/identity-links', { as, body: { platform: 'messenger', login } });
