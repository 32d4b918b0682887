import type { Say } from '@botyard/words/words';

/** What a command comes to: a text of ours, or words for the agent. */
export type CommandResult = { reply: string; resetsContext: boolean } | { ask: string };

/** Commands never reach the model; an unknown one with words behind it is a question, without any it is a call for help. */
export function runCommand(
  command: { name: string; argument: string },
  { bot, say }: { bot: string; say: Say },
): CommandResult {
  switch (command.name) {
    case 'start':
      return { reply: say('greeting', { bot }), resetsContext: false };
    case 'help':
      return { reply: say('help'), resetsContext: false };
    case 'new':
    case 'reset':
      return { reply: say('new_conversation'), resetsContext: true };
    case 'stop':
      return { reply: say('goodbye'), resetsContext: false };
    case 'agent':
      // Who is spoken to is read with the words: a message can begin with it, too.
      return { ask: `/agent ${command.argument}` };
    default:
      return command.argument === ''
        ? { reply: say('help'), resetsContext: false }
        : { ask: command.argument };
  }
}
