/**
 * `npm run chat -- "hello"`: a chat with the demo bot in the terminal, through the sandbox messenger. Without a text: a prompt.
 * `npm run chat -- --file photo.jpg "What is this?"` sends a file, with a caption where there is one.
 */

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { ChatError } from './chat-error.ts';
import { chatOnce } from './chat-once.ts';
import { chatInteractively } from './chat-prompt.ts';
import { type ChatFile, connect } from './connection.ts';

try {
  const { values, positionals } = parseArgs({
    options: { file: { type: 'string' } },
    allowPositionals: true,
  });
  const text = positionals.join(' ').trim();
  const file = values.file === undefined ? undefined : await readChatFile(values.file);
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
    throw new ChatError(`${path} can't be read (${error.code})`);
  });
  return { name: basename(path), base64: bytes.toString('base64') };
}
