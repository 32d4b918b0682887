import type { Comparison, Item } from '../folder/compare.ts';
import { removeThing, writeThing } from '../folder/files.ts';
import { compareProject, differencesOf, type Project, saveLock } from './project.ts';

/**
 * Brings the tenant's state into the folder. Files that were changed here stay as they are, unless `isForced`. Returns
 * the exit code: 1 if a file was changed on both sides.
 */
export async function pull(
  project: Project,
  { isForced, write }: { isForced: boolean; write: (text: string) => void },
): Promise<number> {
  const comparison = await compareProject(project);
  const pulled = new Set<Item>();
  for (const item of comparison.items)
    if (item.change === 'there' || (isForced && item.change !== 'same')) {
      await bring(project.folder, item);
      pulled.add(item);
      write(`${item.remote ? (item.local ? 'changed' : 'new') : 'removed'}  ${item.path}\n`);
    }
  await saveLock(project, afterPull(comparison, pulled));
  const left = comparison.items.filter((item) => item.change !== 'same' && !pulled.has(item));
  const conflicts = left.filter(({ change }) => change === 'both');
  for (const item of left) write(`${item.change === 'both' ? 'conflict' : 'kept'}  ${item.path}\n`);
  for (const item of conflicts) write(differencesOf(item));
  if (conflicts.length > 0)
    write(
      'Changed here and in the tenant. Edit the files and push, or pull with --force to take the tenant’s.\n',
    );
  if (pulled.size === 0 && left.length === 0) write('Nothing has changed.\n');
  return conflicts.length > 0 ? 1 : 0;
}

async function bring(folder: string, { kind, slug, remote }: Item): Promise<void> {
  if (remote) await writeThing(folder, kind, slug, remote.content);
  else await removeThing(folder, kind, slug);
}

/** Pulled things are the same on both sides. */
const afterPull = (comparison: Comparison, pulled: ReadonlySet<Item>): Comparison => ({
  ...comparison,
  items: comparison.items.map((item) =>
    pulled.has(item) ? { ...item, change: 'same', local: item.remote?.content } : item,
  ),
});
