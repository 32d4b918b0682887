import { z } from 'zod';
import { platformNames } from '../platform-names.ts';
import type { PlatformCapabilities, PlatformDefinition } from '../platforms/definition.ts';
import { email } from '../platforms/email.ts';
import { messenger } from '../platforms/messenger.ts';
import { slack } from '../platforms/slack.ts';
import { webchat } from '../platforms/webchat.ts';
import { whatsapp } from '../platforms/whatsapp.ts';

export const PlatformName = z.enum(platformNames);
export type PlatformName = z.output<typeof PlatformName>;

const definitions = { messenger, email, webchat, slack, whatsapp } satisfies Record<
  PlatformName,
  PlatformDefinition
>;

/** Platforms by their names. A name without a definition does not compile. */
export const platformDefinitions: Readonly<Record<PlatformName, PlatformDefinition>> = definitions;
export const platformCapabilities: Readonly<Record<PlatformName, PlatformCapabilities>> = definitions;

/** The settings of each platform, as they are shown. */
export type ShownSettings = { [Name in PlatformName]: (typeof definitions)[Name]['shownSettings'] };

/** The platform whose accounts people can sign in with. */
export const loginPlatform = 'messenger' as const satisfies PlatformName;

type Flag = {
  [Name in keyof PlatformCapabilities]-?: PlatformCapabilities[Name] extends boolean | undefined
    ? Name
    : never;
}[keyof PlatformCapabilities];

/** The platforms with this capability. */
export const platformsThat = (capability: Flag): PlatformName[] =>
  platformNames.filter((name) => platformCapabilities[name][capability]);

/** The platforms without this capability. */
export const platformsWithout = (capability: Flag): PlatformName[] =>
  platformNames.filter((name) => !platformCapabilities[name][capability]);

/** A person's identifier as it is stored and compared. */
export const normalUserId = (platform: PlatformName, platformUserId: string): string =>
  platformCapabilities[platform].usesAddresses ? platformUserId.toLowerCase() : platformUserId;

/**
 * A chat's identifier among the chats of a bot, in stored keys and in the names of conversations. A bot may have
 * several platforms, and two of them may give the same identifier.
 */
export const chatKeyOf = (platform: PlatformName, platformChatId: string): string =>
  platformCapabilities[platform].namesChatsAlone ? platformChatId : `${platform}:${platformChatId}`;

/** The platform's identifier of the chat with this key. */
export const platformChatIdOf = (platform: PlatformName, chatKey: string): string =>
  platformCapabilities[platform].namesChatsAlone ? chatKey : chatKey.slice(`${platform}:`.length);

/** Whether this is the key of a chat of this platform. */
export const isChatKeyOf = (platform: PlatformName, chatKey: string): boolean => {
  const named = platformNames.find(
    (name) => !platformCapabilities[name].namesChatsAlone && chatKey.startsWith(`${name}:`),
  );
  return platformCapabilities[platform].namesChatsAlone ? named === undefined : named === platform;
};

/** A value for every platform, by the platform's name. */
export const ofPlatforms = <Made>(make: (definition: PlatformDefinition) => Made) =>
  Object.fromEntries(platformNames.map((name) => [name, make(platformDefinitions[name])])) as Record<
    PlatformName,
    Made
  >;

/** A union of one body for every platform, discriminated by `field`. */
export const oneOfPlatforms = <Field extends string, Shape extends z.ZodRawShape>(
  field: Field,
  shapeOf: (definition: PlatformDefinition, name: PlatformName) => Shape,
) => {
  const bodyOf = (name: PlatformName) =>
    z.object({
      ...({ [field]: z.literal(name) } as Record<Field, z.ZodLiteral<PlatformName>>),
      ...shapeOf(platformDefinitions[name], name),
    });
  const [first, ...others] = platformNames.map(bodyOf);
  return z.discriminatedUnion(field, [first!, ...others]);
};
