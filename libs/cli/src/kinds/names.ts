import { CliError } from '../cli-error.ts';
import { slugOf } from '../folder/slug.ts';

/** The names of things in the folder and their identifiers in the tenant, for each kind. */
export class Names {
  readonly #ids = new Map<string, string>();
  readonly #slugs = new Map<string, string>();

  add(kind: string, slug: string, id: string): void {
    this.#ids.set(`${kind}/${slug}`, id);
    this.#slugs.set(`${kind}/${id}`, slug);
  }

  /** Names a thing after its title, or a little differently if another one has that name. */
  name(
    kind: string,
    thing: { id: string; title: string },
    isReserved: (slug: string) => boolean = () => false,
  ): string {
    const slug = slugOf(thing.title, (name) => this.#ids.has(`${kind}/${name}`) || isReserved(name));
    this.add(kind, slug, thing.id);
    return slug;
  }

  slug(kind: string, id: string): string | undefined {
    return this.#slugs.get(`${kind}/${id}`);
  }

  /** The name, or the identifier of a thing that the folder can't hold. */
  slugOrId(kind: string, id: string): string {
    return this.slug(kind, id) ?? id;
  }

  /** @throws CliError for a name that no file has. */
  id(kind: string, slug: unknown): string {
    const id = typeof slug === 'string' ? this.#ids.get(`${kind}/${slug}`) : undefined;
    if (id !== undefined) return id;
    if (typeof slug === 'string' && isId(slug)) return slug;
    throw new CliError(`there is no ${kind}/${slug}, in the folder or in the tenant`);
  }

  ids(kind: string, slugs: unknown): string[] {
    if (!Array.isArray(slugs)) throw new CliError(`${kind} must be a list of names`);
    return slugs.map((slug) => this.id(kind, slug));
  }
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
