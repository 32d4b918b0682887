import type { OwnBot } from './connection.ts';
import type { Entity, PlatformChat } from './update.ts';

interface Address {
  /** Where the text begins without the bot's mention at its beginning, or without the command. */
  start: number;
  /** The name of a command for this bot. */
  commandName?: string;
}

interface Said {
  text: string;
  entities: readonly Entity[];
  repliesToBot: boolean;
}

/**
 * Whether a message is for the bot (REQ-CHAT-6): always in private; in a group on a mention, a reply to the bot, or a
 * command that names it. Returns `undefined` when it is not.
 */
export function readAddress(said: Said, chatType: PlatformChat['type'], bot: OwnBot): Address | undefined {
  const command = readCommand(said, bot);
  if (command?.isForAnother) return undefined;
  const isPrivate = chatType === 'private';
  if (command && (isPrivate || command.namesBot || said.repliesToBot)) {
    return { start: command.end, commandName: command.name };
  }
  const mention = said.entities.find((entity) => mentions(entity, said.text, bot));
  if (!isPrivate && !mention && !said.repliesToBot) return undefined;
  const isFirst = mention?.offset === 0 && said.text.slice(mention.length).trim() !== '';
  return { start: isFirst ? mention.length : 0 };
}

const commandShape = /^\/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]{1,64}))?$/;

/** A command counts only at the very beginning of a message. */
function readCommand({ text, entities }: Said, bot: OwnBot) {
  const entity = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0);
  const shape = entity && commandShape.exec(text.slice(0, entity.length));
  if (!shape) return undefined;
  const [, name = '', addressee] = shape;
  const namesBot = addressee !== undefined && sameName(addressee, bot.username);
  return {
    name: name.toLowerCase(),
    end: entity.length,
    namesBot,
    isForAnother: addressee !== undefined && !namesBot,
  };
}

function mentions(entity: Entity, text: string, bot: OwnBot): boolean {
  if (entity.type === 'text_mention') return String(entity.user?.id) === bot.platformBotId;
  if (entity.type !== 'mention' || entity.length !== bot.username.length + 1) return false;
  return sameName(text.slice(entity.offset + 1, entity.offset + entity.length), bot.username);
}

const sameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();
