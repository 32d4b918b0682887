import { sendInvitation, sendWithdrawalMail } from '@botyard/contracts/events/webhook-requests';
import { emailAuthRouter } from '@botyard/contracts/http/email-auth';
import { emailThreadsRouter } from '@botyard/contracts/http/email-threads';
import { answer } from '@botyard/shared/bus/requests';
import { httpAddressWithout } from '@botyard/shared/config/config';
import { optionalFor } from '@botyard/shared/config/shown';
import { mailerDomainSetting } from '@botyard/shared/mail/settings';
import { secretSetting } from '@botyard/shared/secrets/settings';
import { servesWith } from '@botyard/shared/service/foundation';
import { Wakeup } from '@botyard/shared/work/wakeup';
import { z } from 'zod';
import type { AdapterModule } from '../adapter.ts';
import { createMailerClient } from './clients/mailer.ts';
import type { Deps } from './deps.ts';
import { createChatMails } from './domain/chats/chat-mails.ts';
import { createMailReading } from './domain/inbound/mail-reading.ts';
import {
  sendInvitation as sendInvitationHere,
  sendWithdrawal,
} from './domain/invitations/send-invitation.ts';
import { createMailboxes } from './domain/mailboxes.ts';
import { createMailgun } from './domain/mailgun.ts';
import { emailAuthHandlers } from './routes/email-auth.ts';
import { emailThreadsHandlers } from './routes/email-threads.ts';
import { mountEmailWebhook } from './routes/email-webhook.ts';
import { mountSenderPage } from './routes/sender-page.ts';

const messagesPerDay = z.coerce.number().int().min(0).max(1_000_000_000);

const settings = {
  MAILER_API_URL: httpAddressWithout(/\/v[34](?:\/.*)?$/).default('https://api.mailgun.net'),
  /** The installation's account at the mailer. Without it, mails of tenants that have no account of their own wait. */
  MAILER_API_KEY: optionalFor(
    secretSetting,
    'mails of tenants without an account of their own wait and are not sent',
  ),
  /** The account's sender domain. Without it, it sends only for domains that tenants have proven. */
  MAILER_DOMAIN: mailerDomainSetting,
  /** Daily limit of mails from this account, for each tenant; a day begins with its first mail. */
  MAILER_MESSAGES_PER_DAY: messagesPerDay.default(500),
  /** The same for each bot. If unset, the limit of its tenant applies. */
  MAILER_MESSAGES_PER_DAY_OF_BOT: messagesPerDay.optional(),
};

export const mailgun: AdapterModule<typeof settings> = {
  settings,
  create: (context, own) => {
    const mails = new Wakeup();
    const { bus, database, keyring, endpoints, wakeRegistrar } = context;
    const deps: Deps = {
      ...context,
      mailer: createMailerClient(own.MAILER_API_URL, context, own.MAILER_API_KEY),
      mailerAccount: {
        apiKey: own.MAILER_API_KEY,
        domain: own.MAILER_DOMAIN,
        perDay: own.MAILER_MESSAGES_PER_DAY,
        perDayOfBot: own.MAILER_MESSAGES_PER_DAY_OF_BOT ?? own.MAILER_MESSAGES_PER_DAY,
      },
      mailboxes: createMailboxes({ bus, database, keyring, endpoints, onFound: wakeRegistrar }),
      wakeMailReading: mails.wake,
    };
    const mailReading = createMailReading(deps);
    mails.subscribe(mailReading);
    return {
      ...createMailgun(deps),
      chatMails: createChatMails(deps),
      workers: [mailReading],
      mount: (router) => mountEmailWebhook(router, deps),
      mountPublic: (router) => mountSenderPage(router),
      routes: [
        servesWith(deps, emailAuthRouter, emailAuthHandlers),
        servesWith(deps, emailThreadsRouter, emailThreadsHandlers),
      ],
      follow: (bus) => {
        answer(bus, sendInvitation, (question) => sendInvitationHere(deps, question));
        answer(bus, sendWithdrawalMail, (question) => sendWithdrawal(deps, question));
      },
      checkPeer: () => deps.mailer.checkAccount(deps.mailerAccount),
    };
  },
};
