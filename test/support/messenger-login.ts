import { randomInt } from 'node:crypto';
import { signLogin } from '@botyard/testing/messenger/new-bot';

/** A bot for the login widget, which the messenger has to know. */
export const loginSettings = {
  MESSENGER_LOGIN_BOT_TOKEN: `7123456789:${'L'.repeat(35)}`,
  MESSENGER_LOGIN_ORIGINS: 'http://localhost:3001',
};

/** The login widget's fields for a person whose account is not linked. */
export const newLogin = (): Record<string, string> =>
  signLogin(loginSettings.MESSENGER_LOGIN_BOT_TOKEN, { id: randomInt(1e9, 1e12), first_name: 'Anna' });
