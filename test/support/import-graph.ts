import {
  allCode,
  fileAt,
  filesAt,
  importsOf,
  layerOf,
  moduleOf,
  serviceOf,
  serviceSources,
} from './sources.ts';

/** From one part of the code to another, with an import behind each edge. */
export type ImportGraph = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Between the modules of a service. */
export function moduleImports(service: string): ImportGraph {
  const source = `services/${service}/src/`;
  const paths = serviceSources().map(({ path }) => path);
  return importsBetween(
    paths.filter((path) => path.startsWith(source)),
    (path) => (path.startsWith(source) ? moduleOf(path) : ''),
  );
}

/** Modules that import modules of the layers below only. */
export interface ModuleLayer {
  /** 1 for modules that import no other. */
  depth: number;
  modules: string[];
}

/** The modules of a service by the longest way of imports beneath them, the lowest first. */
export function moduleLayers(service: string): ModuleLayer[] {
  const graph = moduleImports(service);
  const depths = new Map<string, number>();
  const depthOf = (module: string): number => {
    const cachedDepth = depths.get(module);
    if (cachedDepth !== undefined) return cachedDepth;
    depths.set(module, 1);
    const below = [...(graph.get(module)?.keys() ?? [])].map(depthOf);
    const depth = Math.max(0, ...below) + 1;
    depths.set(module, depth);
    return depth;
  };
  for (const module of modulesOf(service)) depthOf(module);
  return [...Map.groupBy(depths, ([, depth]) => depth)]
    .map(([depth, entries]) => ({ depth, modules: entries.map(([module]) => module).sort() }))
    .sort((left, right) => left.depth - right.depth);
}

const modulesOf = (service: string): string[] => [
  ...new Set(
    serviceSources()
      .filter(({ path }) => serviceOf(path) === service)
      .map(({ path }) => moduleOf(path))
      .filter((module) => module !== ''),
  ),
];

/**
 * The imports between the layers of all services, the libraries, the console, and everything outside of a production
 * image.
 */
export function layerImports(): ImportGraph {
  const paths = [...allCode(), ...filesAt(/^console\/.*\.tsx?$/)].map(({ path }) => path);
  return importsBetween(paths, (path) => {
    const [top = '', name = ''] = path.split('/');
    if (top === 'test' || top === 'tools' || path.includes('/test/')) return 'tests, tools';
    if (top === 'services') return layersShown[layerOf(path)] ?? '';
    return top === 'libs' ? `libs/${name}` : top;
  });
}

/** `deps.ts` and `config.ts` are left out: every layer uses them, and they name types of every layer. */
const layersShown: Readonly<Record<string, string>> = {
  main: 'main, app',
  app: 'main, app',
  routes: 'routes',
  consumers: 'consumers',
  domain: 'domain',
  store: 'store',
  clients: 'clients',
};

/** @param partOf the part that a file belongs to; empty for a file that counts for none */
function importsBetween(paths: readonly string[], partOf: (path: string) => string): ImportGraph {
  const graph = new Map<string, Map<string, string>>();
  for (const path of paths) {
    const from = partOf(path);
    if (from === '') continue;
    for (const { target = '' } of importsOf(fileAt(path))) {
      const to = partOf(target);
      if (to === '' || to === from) continue;
      graph.set(from, (graph.get(from) ?? new Map()).set(to, `${path} imports ${target}`));
    }
  }
  return graph;
}
