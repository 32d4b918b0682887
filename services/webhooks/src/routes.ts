import { emailAuthRouter } from '@botyard/contracts/http/email-auth';
import { emailThreadsRouter } from '@botyard/contracts/http/email-threads';
import { type Served, serves } from '@botyard/shared/service/foundation';
import type { Deps } from './deps.ts';
import { emailAuthHandlers } from './platforms/mailgun/routes/email-auth.ts';
import { emailThreadsHandlers } from './platforms/mailgun/routes/email-threads.ts';

export const routes: readonly Served<Deps>[] = [
  serves(emailAuthRouter, emailAuthHandlers),
  serves(emailThreadsRouter, emailThreadsHandlers),
];
