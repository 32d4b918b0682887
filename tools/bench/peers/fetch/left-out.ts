/** Starts a peer. If it is not available on this machine, it is omitted from the table and the notes say why. */
export async function orLeftOut<Peer>(
  { name, notes }: { name: string; notes: string[] },
  start: () => Promise<Peer>,
): Promise<Peer[]> {
  try {
    return [await start()];
  } catch (error) {
    const [why = ''] = String((error as Error).message ?? error).split('\n');
    notes.push(`LEFT OUT: ${name} is not available on this machine: ${why.slice(0, 300)}`);
    return [];
  }
}
