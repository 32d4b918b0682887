import { compareProject, differencesOf, type Project } from './project.ts';

/** Prints how the folder differs from the tenant. Returns the exit code: 1 if it does. */
export async function diff(project: Project, write: (text: string) => void): Promise<number> {
  const { items } = await compareProject(project);
  const changed = items.filter(({ change }) => change !== 'same');
  for (const item of changed) {
    const where = { here: 'changed here', there: 'changed in the tenant', both: 'changed on both sides' };
    write(`# ${item.path}: ${where[item.change as keyof typeof where]}\n${differencesOf(item)}`);
  }
  if (changed.length === 0) write('No differences.\n');
  return changed.length > 0 ? 1 : 0;
}
