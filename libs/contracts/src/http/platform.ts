import { z } from 'zod';
import { platformNames } from '../platform-names.ts';

export const PlatformName = z.enum(platformNames);
export type PlatformName = z.output<typeof PlatformName>;

/** Capabilities of a platform. Code outside the platform's own adapter asks for these, never for a platform's name. */
interface PlatformCapabilities {
  /** Its meaning in a few words, for the documents. */
  meaning: string;
  /** The name that people use for a bot's credential; no two integrations share one. */
  credential: string;
  /** We register our webhook at the platform and maintain it there. Otherwise the tenant sets it up. */
  registersWebhook: boolean;
  /** People see the chat while the bot works: it shows that the bot is typing, or that an answer takes longer. */
  isLive: boolean;
  /** One thought often arrives as several messages, so they are answered together. Otherwise each message is complete. */
  joinsMessages: boolean;
  /** The platform proves the sender. Otherwise each message says whether its sender is proven. */
  provesSenders: boolean;
  /** A private chat has the identifier and name of its person. */
  privateChatIsPerson: boolean;
  /** People are identified by an address, which is kept in lower case. */
  usesAddresses: boolean;
}

export const platformCapabilities: Readonly<Record<PlatformName, PlatformCapabilities>> = {
  messenger: {
    meaning: 'the chat platform',
    credential: 'bot token',
    registersWebhook: true,
    isLive: true,
    joinsMessages: true,
    provesSenders: true,
    privateChatIsPerson: true,
    usesAddresses: false,
  },
  email: {
    meaning: 'mail, by way of the mailer',
    credential: 'address',
    registersWebhook: false,
    isLive: false,
    joinsMessages: false,
    provesSenders: false,
    privateChatIsPerson: false,
    usesAddresses: true,
  },
};

/** People sign in with their account of this platform. */
export const loginPlatform: PlatformName = 'messenger';

/** The platforms with this capability. */
export const platformsThat = (
  capability: Exclude<keyof PlatformCapabilities, 'credential'>,
): PlatformName[] => platformNames.filter((name) => platformCapabilities[name][capability]);

/** A person's identifier as it is kept and compared. */
export const normalUserId = (platform: PlatformName, platformUserId: string): string =>
  platformCapabilities[platform].usesAddresses ? platformUserId.toLowerCase() : platformUserId;
