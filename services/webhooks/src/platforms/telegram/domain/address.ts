import type { ReadMessage } from '../../domain/read-delivery.ts';
import type { OwnBot } from './connection.ts';
import type { Entity, PlatformChat } from './update.ts';

interface Address {
  /** How a group message addresses the bot; absent in private, and if it doesn't. */
  by?: ReadMessage['addressedBy'];
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
 * How a message addresses the bot (REQ-CHAT-6): in a group by a mention, a reply to the bot, or a command that names
 * it. A group message that does none of these is read as in private. Returns `undefined` for a command to another bot.
 */
export function readAddress(said: Said, chatType: PlatformChat['type'], bot: OwnBot): Address | undefined {
  const command = readCommand(said, bot);
  if (command?.isForAnother) return undefined;
  const mention = said.entities.find((entity) => mentions(entity, said.text, bot));
  const by = chatType === 'private' ? undefined : groundOf(said, command, mention);
  const address = by ? { by } : {};
  // A mention behind a command of no bot makes the whole text a question.
  if (command && by !== 'mention') return { ...address, start: command.end, commandName: command.name };
  const isFirst = mention?.offset === 0 && said.text.slice(mention.length).trim() !== '';
  return { ...address, start: isFirst ? mention.length : 0 };
}

function groundOf(
  { repliesToBot }: Said,
  command: { namesBot: boolean } | undefined,
  mention: Entity | undefined,
): ReadMessage['addressedBy'] {
  if (command?.namesBot) return 'command';
  if (repliesToBot) return 'reply';
  return mention && 'mention';
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
