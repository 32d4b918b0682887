/** `npm run chat`: a chat with the demo bot in the terminal, through the sandbox messenger. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readCommandLine } from '../command-line/read-command-line.ts';
import { chatOnce } from './chat-once.ts';
import { chatInteractively } from './chat-prompt.ts';
import { ChatError, type ChatFile, connect } from './connection.ts';

const { options, arguments: words } = readCommandLine({
  name: 'npm run chat',
  about: 'Chats with the demo bot of a running "npm start" in the terminal, through the sandbox messenger.',
  arguments: [
    {
      name: 'text',
      about: 'The message, or the caption of the file. The tool prints the answer.',
      takesMany: true,
      otherwise: 'an interactive prompt, unless there is a file',
    },
  ],
  options: { file: { type: 'text', value: 'path', about: 'Sends a file.' } },
  examples: [
    { command: 'npm run chat -- "hello"', about: 'one message and its answer' },
    {
      command: 'npm run chat -- --file photo.jpg "What is this?"',
      about: 'a file with a caption',
    },
  ],
});

try {
  const text = words.join(' ').trim();
  const file = options.file === undefined ? undefined : await readChatFile(options.file);
  const connection = await connect(process.env.DATA_DIR || '.data', process.env.SANDBOX_PORT || '3002');
  if (text === '' && !file) await chatInteractively(connection);
  else await chatOnce(connection, text, file);
  process.exit(0);
} catch (error) {
  if (!(error instanceof ChatError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

async function readChatFile(path: string): Promise<ChatFile> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new ChatError(`${path} can't be read (${error.code}). Check the path and its permissions.`);
  });
  return { name: basename(path), base64: bytes.toString('base64') };
}
