const maxDepth = 32;
const maxReferences = 100;

/**
 * Why a schema can't be given to a model. Schemas are never resolved or compiled here, but providers of models resolve
 * them: references that lead elsewhere or in a circle are refused.
 */
export function refusalOfSchema(schema: unknown): string | undefined {
  const references: Reference[] = [];
  const isTooDeep = !collect(schema, references);
  if (isTooDeep) return `its schema has more than ${maxDepth} levels`;
  if (references.length > maxReferences) return `its schema has more than ${maxReferences} references`;
  if (references.some(({ to }) => !isLocal(to))) return 'its schema has a reference to another document';
  return hasCircle(references) ? 'its schema has references in a circle' : undefined;
}

/** A `$ref`: the JSON pointers of where it is, and of what it names. */
interface Reference {
  at: string;
  to: string;
}

const isLocal = (to: string): boolean => to === '#' || to.startsWith('#/');

/** Collects the references, without recursion. Returns `false` for what is too deep. */
function collect(schema: unknown, references: Reference[]): boolean {
  const pending = [{ value: schema, at: '#', depth: 0 }];
  for (let part = pending.pop(); part; part = pending.pop()) {
    const { value, at, depth } = part;
    if (depth > maxDepth) return false;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, child] of Object.entries(value)) {
      const isReference = name === '$ref' || name === '$dynamicRef' || name === '$recursiveRef';
      if (isReference && typeof child === 'string') references.push({ at, to: decoded(child) });
      pending.push({ value: child, at: `${at}/${escapedName(name)}`, depth: depth + 1 });
    }
  }
  return true;
}

const escapedName = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** Whether following references, also those within what they name, ever comes back. */
function hasCircle(references: readonly Reference[]): boolean {
  const isWithin = (at: string, pointer: string) => at === pointer || at.startsWith(`${pointer}/`);
  const next = (reference: Reference) => references.filter(({ at }) => isWithin(at, reference.to));
  const finished = new Set<Reference>();
  const leadsBack = (reference: Reference, path: ReadonlySet<Reference>): boolean => {
    if (path.has(reference)) return true;
    if (finished.has(reference)) return false;
    const longer = new Set(path).add(reference);
    if (next(reference).some((following) => leadsBack(following, longer))) return true;
    finished.add(reference);
    return false;
  };
  return references.some((reference) => leadsBack(reference, new Set()));
}
