import type { PlatformName } from '@botyard/contracts/http/platform';
import type { PlatformDriver } from './driver.ts';
import { startMailgun } from './mailgun.ts';
import { startSlack } from './slack.ts';
import { startTelegram } from './telegram.ts';
import { startWebchat } from './webchat.ts';
import { startWhatsApp } from './whatsapp.ts';

/** The fake of each platform with its driver, one line each. A name without one doesn't compile. */
export const startDriver: Readonly<Record<PlatformName, () => Promise<PlatformDriver>>> = {
  messenger: startTelegram,
  email: startMailgun,
  webchat: startWebchat,
  slack: startSlack,
  whatsapp: startWhatsApp,
};
