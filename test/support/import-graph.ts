import { allCode, fileAt, filesAt, importsOf, layerOf, moduleOf, serviceSources } from './sources.ts';

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
