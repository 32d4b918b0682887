import { importsOf, placeIn, type SourceFile } from './sources.ts';

export interface Use {
  /** Exported name of the event, request or signal. */
  what: string;
  place: string;
}

const modules: Readonly<Record<BusCall, string>> = {
  ask: 'requests',
  answer: 'requests',
  watch: 'broadcast',
  listen: 'signals',
  signal: 'signals',
};
/** The functions that count as a call, where there are several. */
const variants: Readonly<Partial<Record<BusCall, readonly string[]>>> = {
  listen: ['listen', 'listenInEveryInstance'],
};
export type BusCall = 'ask' | 'answer' | 'watch' | 'listen' | 'signal';

/**
 * Every call of one of the bus's functions in these files, with its event. A call that can't be parsed is a fault, so
 * that none is overlooked.
 */
export function callsOf(files: readonly SourceFile[], call: BusCall): Use[] {
  return files.flatMap((file) => {
    const imports = importsOf(file);
    const moduleImport = imports.find(({ target }) => target === `libs/shared/src/bus/${modules[call]}.ts`);
    const locals = [...(moduleImport?.names ?? [])]
      .filter(([, exported]) => (variants[call] ?? [call]).includes(exported))
      .map(([local]) => local);
    if (locals.length === 0) return [];
    return [
      ...file.text.matchAll(new RegExp(`(?<![\\w.])(?:${locals.join('|')})\\(\\s*([\\w.]+),\\s*(\\w+)`, 'g')),
    ]
      .filter(([, bus = '']) => /(^|\.)bus$/.test(bus))
      .map((match) => ({ what: exportedName(file, match[2] ?? ''), place: placeIn(file, match.index) }));
  });
}

/** The events that these files write to the outbox. */
export function emittedIn(files: readonly SourceFile[]): Use[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(/\.emit(?:All)?\(\s*tx,\s*(\w+)|\.draft\(\s*(\w+)/g)].map((match) => ({
      what: exportedName(file, match[1] ?? match[2] ?? ''),
      place: placeIn(file, match.index),
    })),
  );
}

/** Files that import one of the bus's functions, and so have to have a call that `callsOf` reads. */
export function importersOf(files: readonly SourceFile[], call: BusCall): string[] {
  return files
    .filter((file) =>
      importsOf(file).some(
        ({ target, names }) =>
          target === `libs/shared/src/bus/${modules[call]}.ts` && [...names.values()].includes(call),
      ),
    )
    .map(({ path }) => path);
}

function exportedName(file: SourceFile, local: string): string {
  for (const { target, names } of importsOf(file)) {
    const exported = names.get(local);
    if (exported && target?.startsWith('libs/contracts/src/events/')) return exported;
  }
  return `${local} of ${file.path}`;
}
