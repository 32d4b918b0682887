import type { messengerAuthRouter } from '@botyard/contracts/http/messenger-auth';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { beginLogin, completeLogin, returnToApp, statusOfLogin } from '../domain/login.ts';

export const messengerAuthHandlers: Handlers<typeof messengerAuthRouter, Deps> = {
  getMessengerLoginConfig: ({ query, exchange }, deps) => beginLogin(deps, exchange, query.returnTo),

  returnFromMessenger: async ({ query, exchange }, deps) =>
    exchange.redirectTo(await returnToApp(deps, exchange, query)),

  completeMessengerLogin: ({ body, exchange }, deps) => completeLogin(deps, exchange, body),

  getMessengerLoginStatus: ({ exchange }, deps) => statusOfLogin(deps, exchange),
};
