import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export interface Wanted {
  /** Of cases, as they stand in the names of tests. None: all of them. */
  names: string[];
  minutes: number;
  seed: number;
}

const maxMinutes = 24 * 60;
const maxSeed = 2 ** 31;

/** What was asked for, or what is wrong with it in a line. */
export function readArguments(args: readonly string[]): Wanted | { fault: string } {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { minutes: { type: 'string' }, seed: { type: 'string' } },
    });
    const names = positionals.map((name) => (/^mix$/i.test(name) ? 'mix' : name.toUpperCase()));
    const strange = names.find((name) => !/^(mix|[A-Z]-\d\d|P\d\d?)$/.test(name));
    if (strange) return { fault: `${strange} is no name of a proof, such as o-01, f-25, p1 or mix` };
    if (names.length > 0 && !names.includes('mix') && Object.keys(values).length > 0)
      return { fault: '--minutes and --seed are for the mix' };
    const minutes = Number(values.minutes ?? 10);
    if (!(minutes > 0 && minutes <= maxMinutes))
      return { fault: `--minutes takes a number of minutes, at most ${maxMinutes}` };
    const seed = Number(values.seed ?? randomInt(maxSeed));
    if (!Number.isInteger(seed) || seed < 0 || seed > maxSeed)
      return { fault: `--seed takes a whole number from 0 to ${maxSeed}` };
    return { names, minutes, seed };
  } catch (error) {
    return { fault: (error as Error).message.split('\n')[0] ?? 'these arguments are not known' };
  }
}
