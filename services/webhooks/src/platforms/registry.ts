import { mailgun } from './mailgun/domain/mailgun.ts';
import type { Platforms } from './platform.ts';
import { telegram } from './telegram/domain/telegram.ts';

/** By the names in the contracts: one without an adapter does not compile. */
export const platforms: Platforms = { messenger: telegram, email: mailgun };
