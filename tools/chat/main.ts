/** `npm run chat -- "hello"`: a chat with the demo bot in the terminal, through the sandbox messenger. Without a text: a prompt. */

import { ChatError } from './chat-error.ts';
import { chatOnce } from './chat-once.ts';
import { chatInteractively } from './chat-prompt.ts';
import { connect } from './connection.ts';

try {
  const text = process.argv.slice(2).join(' ').trim();
  const connection = await connect(process.env.DATA_DIR || '.data', process.env.SANDBOX_PORT || '3002');
  if (text === '') await chatInteractively(connection);
  else await chatOnce(connection, text);
  process.exit(0);
} catch (error) {
  if (!(error instanceof ChatError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
