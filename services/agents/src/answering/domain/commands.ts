import type { Say } from '@botyard/words/words';

/** The result of a command: a fixed text, or words for the agent. */
export type CommandResult = { reply: string; resetsContext: boolean } | { ask: string };

/** Commands never reach the model. An unknown one is a question or, without further words, a request for help. */
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
      // The agent's name is read with the words: a message can begin with it, too.
      return { ask: `/agent ${command.argument}` };
    default:
      return command.argument === ''
        ? { reply: say('help'), resetsContext: false }
        : { ask: command.argument };
  }
}
