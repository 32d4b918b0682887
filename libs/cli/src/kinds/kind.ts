import type { Client } from '@botyard/client/client';
import type { Names } from './names.ts';

/** A thing as the folder holds it: plain values, other things by the names of their files, no identifiers. */
export type Content = Record<string, unknown>;

export interface RemoteThing {
  id: string;
  title: string;
  /** Counts its changes, where the server counts them. */
  version?: number;
  /** Somebody has changes of it that are not live. */
  hasDraft?: boolean;
  /** Asked for once all things have their names. */
  content(names: Names): Content | Promise<Content>;
}

export interface SaveOptions {
  /** Kept by new versions: the change and its reason. */
  note?: string | undefined;
  /** Why agents go live in spite of the tests that they require. */
  overrideReason?: string | undefined;
  /** Only saves drafts of agents, which answer nobody. */
  isDraft?: boolean | undefined;
}

/** A kind of thing that a folder holds, such as agents. */
export interface Kind {
  /** Also the name of its folder. */
  readonly name: string;
  /** A field that is a Markdown file of its own, beside the YAML. */
  readonly markdown?: string;
  /** Fields that a file must have. */
  readonly required: readonly string[];
  /** Fields that a file may leave out, with what they are then. */
  readonly defaults: Readonly<Content>;
  /** Everything of this kind in the tenant. @throws ApiError. */
  list(api: Client): Promise<RemoteThing[]>;
  /** Returns its identifier. @throws ApiError. */
  create(api: Client, names: Names, content: Content): Promise<string>;
  /** @throws ApiError, with 409 if somebody else changed it since it was read. */
  update(api: Client, names: Names, thing: RemoteThing, content: Content, how: SaveOptions): Promise<void>;
  /** @throws ApiError, with 409 while others use it. */
  remove(api: Client, id: string): Promise<void>;
}

/** The fields of an answer of the server by their names. */
export const pickFields = (answer: object, fields: readonly string[]): Content =>
  Object.fromEntries(Object.entries(answer).filter(([field]) => fields.includes(field)));

/** The items of a list of the API. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
