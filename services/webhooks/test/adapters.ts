import { createMailgun } from '../src/platforms/mailgun/domain/mailgun.ts';
import type { Platforms } from '../src/platforms/platform.ts';
import { createTelegram } from '../src/platforms/telegram/domain/telegram.ts';

/** The adapters of the messenger and of email with few of their parts, for tests that need no more. */
export const createAdapters = (parts: object): Platforms =>
  ({
    messenger: createTelegram(parts as never),
    email: createMailgun(parts as never),
  }) as Partial<Platforms> as Platforms;
