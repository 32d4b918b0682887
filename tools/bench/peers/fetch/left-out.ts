/** A peer that this machine can't have is left out of the table, and the reason stands among its notes. */
export async function orLeftOut<Peer>(
  { name, notes }: { name: string; notes: string[] },
  start: () => Promise<Peer>,
): Promise<Peer[]> {
  try {
    return [await start()];
  } catch (error) {
    const [why = ''] = String((error as Error).message ?? error).split('\n');
    notes.push(`LEFT OUT: ${name} can't be had on this machine: ${why.slice(0, 300)}`);
    return [];
  }
}
