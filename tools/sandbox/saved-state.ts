/** The messenger's bots, webhooks and chats in a JSON file, so that they outlive the sandbox process. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeMessenger } from '@botyard/shared/testing/fake-messenger';
import { readState } from '@botyard/shared/testing/messenger/state';

const saveAfterMs = 200;

export type SavedState = { flush(): Promise<void> };

/** Loads what is there, then saves shortly after every change. `undefined` as directory keeps nothing. */
export async function keepMessengerState(
  messenger: FakeMessenger,
  directory: string | undefined,
): Promise<SavedState> {
  if (directory === undefined) return { flush: async () => undefined };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'messenger.json');
  const state = readState(await readJson(file));
  if (state !== undefined) messenger.importState(state);
  return saveOnChange(messenger, file);
}

function saveOnChange(messenger: FakeMessenger, file: string): SavedState {
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();
  const save = () => {
    timer = undefined;
    saving = saving.then(() => writeWhole(file, JSON.stringify(messenger.exportState()))).catch(report);
    return saving;
  };
  messenger.subscribe((event) => {
    if (event.type !== 'typing') timer ??= setTimeout(() => void save(), saveAfterMs);
  });
  const flush = async () => {
    clearTimeout(timer);
    await save();
  };
  return { flush };
}

/** Readable by the owner only: it holds bot tokens. Renamed into place, so that a crash leaves the old one whole. */
async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isAbsent) process.stderr.write(`sandbox: ${file} is not readable, starting without it\n`);
    return undefined;
  }
}

function report(error: unknown): void {
  process.stderr.write(
    `sandbox: could not save the messenger: ${error instanceof Error ? error.message : String(error)}\n`,
  );
}
