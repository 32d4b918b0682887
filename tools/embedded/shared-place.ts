import { chmod, mkdir, stat } from 'node:fs/promises';
import { StartError } from './start-error.ts';

/**
 * The directory for files that another user must reach while the project or DATA_DIR is inside a closed directory such
 * as /root. Used by root only.
 */
export const defaultSharedPlace = '/var/lib/botyard';

export async function openSharedPlace(place: string, hidden: string): Promise<string> {
  try {
    await mkdir(place, { recursive: true });
    const stats = await stat(place);
    if (stats.uid !== 0) throw new Error('it belongs to another user');
    await chmod(place, 0o711);
    return place;
  } catch (error) {
    throw new StartError(
      `Postgres can't run as root, its user can't enter ${hidden}, and ${place} can't be used instead (${(error as Error).message}): ` +
        'move the project and DATA_DIR out of closed directories, start as another user, or set DATABASE_URL',
    );
  }
}
