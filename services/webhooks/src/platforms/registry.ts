import { mailgun } from './mailgun/domain/mailgun.ts';
import type { Platforms } from './platform.ts';
import { telegram } from './telegram/domain/telegram.ts';

/** Adapters by their names in the contracts. A name without an adapter doesn't compile. */
export const platforms: Platforms = { messenger: telegram, email: mailgun };
