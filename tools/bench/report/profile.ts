/** The used fields of a Node CPU profile (`--cpu-prof`). */
export interface CpuProfile {
  nodes: readonly { id: number; callFrame: Frame }[];
  /** The node ID of each sample, and the microseconds since the previous sample. */
  samples: readonly number[];
  timeDeltas: readonly number[];
}

interface Frame {
  functionName: string;
  url: string;
}

interface Share {
  bucket: string;
  /** The share of the process's working time, from 0 to 1. */
  share: number;
}

/** Returns the profiled service, or `undefined` for another process. */
export function serviceOf({ nodes }: CpuProfile): string | undefined {
  const main = nodes.find(({ callFrame }) => serviceMain.test(callFrame.url));
  return main && serviceMain.exec(main.callFrame.url)?.[1];
}

const serviceMain = /\/services\/([a-z]+)\/src\/main\.ts$/;

/** Functions that load modules. Almost all loading happens during the start. */
const loads = /^node:internal\/(modules|bootstrap|deps\/amaro)/;
const loadedAt = 0.95;

/** Returns the index of the first sample after the modules were loaded. */
function firstAfterLoading({ nodes, samples }: CpuProfile): number {
  const loading = new Set(nodes.filter(({ callFrame }) => loads.test(callFrame.url)).map(({ id }) => id));
  const indexes = samples.flatMap((id, index) => (loading.has(id) ? [index] : []));
  return (indexes[Math.floor(indexes.length * loadedAt)] ?? -1) + 1;
}

/**
 * Returns the self time of each function after loading, largest first. Functions below `least` are combined into one
 * entry.
 */
export function sharesOf(profile: CpuProfile, least = 0.015): Share[] {
  const bucketById = new Map(profile.nodes.map(({ id, callFrame }) => [id, bucketOf(callFrame)]));
  const micros = new Map<string, number>();
  const first = firstAfterLoading(profile);
  for (const [index, id] of profile.samples.entries()) {
    if (index < first) continue;
    const bucket = bucketById.get(id);
    if (bucket === undefined) continue;
    micros.set(bucket, (micros.get(bucket) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  const all = [...micros.values()].reduce((sum, value) => sum + value, 0);
  const shares = [...micros].map(([bucket, value]) => ({ bucket, share: value / Math.max(all, 1) }));
  const large = shares.filter(({ share }) => share >= least);
  const rest = shares.filter(({ share }) => share < least).reduce((sum, { share }) => sum + share, 0);
  const sorted = large.toSorted((left, right) => right.share - left.share);
  return rest > 0 ? [...sorted, { bucket: 'everything below 1.5 %', share: rest }] : sorted;
}

/** Returns the bucket of a frame, or `undefined` for idle time. */
export function bucketOf({ functionName, url }: Frame): string | undefined {
  if (functionName === '(idle)' || functionName === '(root)') return undefined;
  if (functionName === '(garbage collector)') return 'collector of garbage';
  if (functionName === '(program)') return 'V8 and libuv themselves';
  // A C++ function, such as a write to a socket. Its time includes the kernel's.
  if (url === '') return nativeCalls.test(functionName) ? 'writes to sockets and files' : 'functions of C++';
  if (url.startsWith('node:')) return bucketOfNode(url.slice('node:'.length));
  const [, packageName] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  if (packageName) return `package ${packageName}`;
  const [, library, folder] = /\/(libs\/[^/]+)\/src\/(?:([^/]+)\/)?/.exec(url) ?? [];
  if (library) return folder ? `${library}/${folder}` : library;
  const [, service, module] = /\/services\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(url) ?? [];
  return service ? `${service}${module ? `/${module}` : ''}` : 'other code';
}

const nativeCalls = /^(write\w*|shutdown)$/;

function bucketOfNode(module: string): string {
  if (/^(internal\/streams|stream|events|internal\/stream_base)/.test(module)) return 'Node: streams, events';
  if (/^(_http|http|internal\/http)/.test(module)) return 'Node: HTTP';
  if (/^(net|internal\/net|tls|_tls|dns)/.test(module)) return 'Node: sockets';
  if (
    /^(internal\/process\/(task|promises)|internal\/timers|timers|async_hooks|internal\/async)/.test(module)
  )
    return 'Node: timers, promises, contexts';
  return module.startsWith('internal/crypto') ? 'Node: cryptography' : 'Node: the rest';
}
