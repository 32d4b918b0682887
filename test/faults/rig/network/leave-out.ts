/** Says what this machine can't try. `npm run faults` fails by it: nothing there passes that wasn't tried. */
export function leaveOut(what: string, why: string): void {
  const line = `${what} left out: ${why}`;
  if (process.env.BOTYARD_FAULTS === 'full') throw new Error(line);
  process.stdout.write(`${line}\n`);
}
