import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { accountOfStream } from '@botyard/shared/bus/accounts';

/** The account of a server without accounts. */
const sharedAccount = '$G';

interface Move {
  from: string;
  folder: string;
  stream: string;
}

/** Streams of an installation that lie in the account that all services shared, and are in no account of their own. */
async function listMoves(storeDir: string, namespace: string): Promise<Move[]> {
  const root = join(storeDir, 'jetstream');
  const shared = join(root, sharedAccount, 'streams');
  const moves: Move[] = [];
  for (const stream of await entriesOf(shared)) {
    const account = accountOfStream(namespace, stream);
    if (account === undefined) continue;
    const folder = join(root, account, 'streams');
    if ((await entriesOf(folder)).includes(stream)) continue;
    moves.push({ from: join(shared, stream), folder, stream });
  }
  return moves;
}

export async function hasSharedStreams(storeDir: string, namespace: string): Promise<boolean> {
  return (await listMoves(storeDir, namespace)).length > 0;
}

/**
 * Moves these streams to the accounts that keep them, with their messages and the positions of their consumers. Call
 * it while the server is down.
 * @returns their names
 */
export async function moveSharedStreams(storeDir: string, namespace: string): Promise<string[]> {
  const moves = await listMoves(storeDir, namespace);
  for (const { from, folder, stream } of moves) {
    await mkdir(folder, { recursive: true, mode: 0o750 });
    await rename(from, join(folder, stream));
  }
  return moves.map(({ stream }) => stream);
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
