import { asksForUpdates } from '@botyard/shared/config/asks-for-updates';
import { messengerAddress } from '@botyard/shared/config/platform-addresses';
import { Wakeup } from '@botyard/shared/work/wakeup';
import { z } from 'zod';
import type { AdapterModule } from '../adapter.ts';
import { createMessengerClient } from './clients/messenger.ts';
import { createMessengerFiles } from './clients/messenger-files.ts';
import { createCallbackAnswers } from './domain/callback-answers.ts';
import { createTelegram } from './domain/telegram.ts';

const settings = {
  MESSENGER_API_URL: messengerAddress.default('https://api.telegram.org'),
  /**
   * How the messenger's updates arrive. With `polling`, a developer's bot needs no https address. It is the default
   * only in development, where the real platform could not reach `WEBHOOK_BASE_URL`.
   */
  MESSENGER_UPDATES: z.enum(['webhook', 'polling']).optional(),
};

export const telegram: AdapterModule<typeof settings> = {
  settings,
  refuse: ({ MESSENGER_UPDATES, environment }) =>
    MESSENGER_UPDATES !== 'polling' || environment === 'development' || environment === 'test'
      ? undefined
      : {
          setting: 'MESSENGER_UPDATES',
          message: 'polling is for development and test only: set WEBHOOK_BASE_URL to an https address',
        },
  create: (context, own) => {
    const presses = new Wakeup();
    const deps = {
      ...context,
      messenger: createMessengerClient(own.MESSENGER_API_URL, context.log, context.problems),
      messengerFiles: createMessengerFiles(own.MESSENGER_API_URL),
      isPolling: asksForUpdates({
        ...own,
        NODE_ENV: context.environment,
        WEBHOOK_BASE_URL: context.webhookBaseUrl,
      }),
      wakeCallbacks: presses.wake,
    };
    const callbackAnswers = createCallbackAnswers(deps);
    presses.subscribe(callbackAnswers);
    return { ...createTelegram(deps), workers: [callbackAnswers] };
  },
};
