import { ApiError } from '@botyard/client/api-error';
import { CliError } from '../cli-error.ts';
import type { Comparison, Item } from '../folder/compare.ts';
import type { SaveOptions } from '../kinds/kind.ts';
import { compareProject, differencesOf, type Project, saveLock } from './project.ts';

export interface PushOptions extends SaveOptions {
  /** Prints what would change. */
  isDryRun: boolean;
  /** Deletes in the tenant what was removed from the folder. */
  prunes: boolean;
  /** Replaces drafts that are not live. */
  replacesDrafts: boolean;
  write: (text: string) => void;
}

/**
 * Brings the folder's changes into the tenant. Nothing is pushed while one thing was changed on both sides. Returns the
 * exit code. @throws CliError, with the thing at which it stopped; those before it are pushed.
 */
export async function push(project: Project, options: PushOptions): Promise<number> {
  const { write } = options;
  const comparison = await compareProject(project);
  const { items } = comparison;
  const conflicts = items.filter(({ change }) => change === 'both');
  if (conflicts.length > 0) {
    for (const item of conflicts) write(`# ${item.path}${versionOf(item)}\n${differencesOf(item)}`);
    write('Somebody else has changed these since the last pull. Pull, edit the files, and push again.\n');
    return 1;
  }
  const mine = items.filter((item) => item.change === 'here' && (!options.isDraft || canBeDraft(item)));
  const saved = mine.filter(({ local }) => local);
  const removed = options.prunes ? mine.filter(({ local }) => !local).toReversed() : [];
  if (options.isDryRun) {
    for (const item of [...saved, ...removed])
      write(`# ${verbOf(item)} ${item.path}\n${differencesOf(item)}`);
    write(`${saved.length} to save, ${removed.length} to delete. Nothing was changed.\n`);
    return 0;
  }
  requireNoDrafts(saved, options);
  for (const item of saved) await atItem(item, () => save(project, comparison, item, options));
  for (const item of removed) await atItem(item, () => item.kind.remove(project.api, item.remote!.thing.id));
  for (const item of [...saved, ...removed]) write(`${verbOf(item)}  ${item.path}\n`);
  for (const item of mine)
    if (!item.local && !options.prunes) write(`kept in the tenant  ${item.path} (--prune deletes it)\n`);
  for (const { path } of items.filter(({ change }) => change === 'there'))
    write(`changed in the tenant  ${path} (pull brings it here)\n`);
  if (saved.length + removed.length === 0) write('Nothing to push.\n');
  else if (!options.isDraft) await rememberPushed(project, saved);
  return 0;
}

/** Only an agent that exists has a draft. */
const canBeDraft = ({ kind, local, remote }: Item) => kind.name === 'agents' && local && remote;

const verbOf = ({ local, remote }: Item) => (local ? (remote ? 'update' : 'create') : 'delete');

const versionOf = ({ remote }: Item) =>
  remote?.thing.version === undefined ? '' : `: version ${remote.thing.version} is live`;

function requireNoDrafts(saved: readonly Item[], { replacesDrafts }: PushOptions): void {
  const drafted = saved.filter(({ remote }) => remote?.thing.hasDraft).map(({ path }) => path);
  if (drafted.length > 0 && !replacesDrafts)
    throw new CliError(
      `${drafted.join(', ')}: there are drafts that are not live. Make them live or discard them in the console, or add --replace-drafts`,
    );
}

async function save(
  { api }: Project,
  { names }: Comparison,
  { kind, slug, local, remote }: Item,
  options: PushOptions,
): Promise<void> {
  if (remote) await kind.update(api, names, remote.thing, local!, options);
  else names.add(kind.name, slug, await kind.create(api, names, local!));
}

/** An error says at which file it happened. */
async function atItem(item: Item, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CliError) throw new CliError(`${item.path}: ${error.message}`);
    if (!(error instanceof ApiError)) throw error;
    const issues = error.issues.map(({ path, message }) => `\n  ${path}: ${message}`).join('');
    throw new CliError(`${item.path} could not be saved (${error.status}): ${error.message}${issues}`);
  }
}

/** The server may complete what was saved, so what it has now counts as the state of these files. */
async function rememberPushed(project: Project, saved: readonly Item[]): Promise<void> {
  const comparison = await compareProject(project);
  const paths = new Set(saved.map(({ path }) => path));
  const items = comparison.items.map((item) =>
    paths.has(item.path) && item.remote ? { ...item, change: 'same' as const } : item,
  );
  await saveLock(project, { ...comparison, items });
}
