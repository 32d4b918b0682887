/**
 * Stores the platforms' bots, chats, routes and addresses in JSON files, so that they survive restarts of the sandbox.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeMailer, MailerState } from '@botyard/testing/fake-mailer';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import type { FakeSlack } from '@botyard/testing/fake-slack';
import type { FakeWhatsApp } from '@botyard/testing/fake-whatsapp';
import { readState } from '@botyard/testing/messenger/state';
import { exportState, importState } from '@botyard/testing/whatsapp/state';
import type { WhatsAppState } from '@botyard/testing/whatsapp/types';
import type { Site } from './site/site.ts';
import { exportSlack, importSlack, type SlackState } from './slack/demo-workspace.ts';

const saveAfterMs = 200;

type SavedState = { flush(): Promise<void> };

/** A platform whose state is stored in a file. */
type Kept = {
  name: string;
  load: (state: unknown) => void;
  save: () => unknown;
  /** Calls back after every change that must be saved. */
  subscribe: (onChange: () => void) => void;
};

const nothing: SavedState = { flush: async () => undefined };

/** Loads and saves the messenger's state. Does nothing if `directory` is undefined. */
export function keepMessengerState(
  messenger: FakeMessenger,
  directory: string | undefined,
): Promise<SavedState> {
  return keep(directory, {
    name: 'messenger',
    load: (saved) => {
      const state = readState(saved);
      if (state !== undefined) messenger.importState(state);
    },
    save: () => messenger.exportState(),
    subscribe: (onChange) =>
      messenger.subscribe((event) => {
        if (event.type !== 'typing') onChange();
      }),
  });
}

export function keepMailerState(mailer: FakeMailer, directory: string | undefined): Promise<SavedState> {
  return keep(directory, {
    name: 'mailer',
    load: (saved) => {
      const state = saved as Partial<MailerState> | undefined;
      if (Array.isArray(state?.routes) && Array.isArray(state.entries))
        mailer.importState(state as MailerState);
    },
    save: () => mailer.exportState(),
    subscribe: (onChange) => mailer.subscribe(onChange),
  });
}

export const keepSlackState = (slack: FakeSlack, directory: string | undefined): Promise<SavedState> =>
  keep(directory, {
    name: 'slack',
    load: (saved) => {
      if (saved) importSlack(slack, saved as SlackState);
    },
    save: () => exportSlack(slack),
    subscribe: (onChange) => slack.world.subscribe(onChange),
  });

export const keepWhatsAppState = (
  whatsapp: FakeWhatsApp,
  directory: string | undefined,
): Promise<SavedState> =>
  keep(directory, {
    name: 'whatsapp',
    load: (saved) => {
      if (saved) importState(whatsapp, saved as WhatsAppState);
    },
    save: () => exportState(whatsapp),
    subscribe: (onChange) => whatsapp.subscribe(onChange),
  });

export const keepSite = (site: Site, directory: string | undefined): Promise<SavedState> =>
  keep(directory, {
    name: 'site',
    load: (saved) => site.show((saved as { botId?: unknown } | undefined)?.botId),
    save: () => ({ botId: site.botId }),
    subscribe: (onChange) => site.subscribe(onChange),
  });

/** Loads the existing state, then saves it shortly after every change. */
async function keep(directory: string | undefined, kept: Kept): Promise<SavedState> {
  if (directory === undefined) return nothing;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, `${kept.name}.json`);
  kept.load(await readJson(file));
  return saveOnChange(kept, file);
}

function saveOnChange({ name, save: state, subscribe }: Kept, file: string): SavedState {
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();
  const save = () => {
    timer = undefined;
    saving = saving
      .then(() => writeWhole(file, JSON.stringify(state())))
      .catch((error) => report(name, error));
    return saving;
  };
  subscribe(() => {
    timer ??= setTimeout(() => void save(), saveAfterMs);
  });
  const flush = async () => {
    clearTimeout(timer);
    await save();
  };
  return { flush };
}

/**
 * Writes a file that only the owner can read, because it contains bot tokens and signing keys. The file is renamed into
 * place, so that a crash leaves the old file intact.
 */
async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isAbsent) process.stderr.write(`sandbox: ${file} can't be read, starting with an empty state\n`);
    return undefined;
  }
}

function report(name: string, error: unknown): void {
  process.stderr.write(
    `sandbox: could not save the ${name}: ${error instanceof Error ? error.message : String(error)}\n`,
  );
}
