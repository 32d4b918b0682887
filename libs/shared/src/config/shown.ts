import { z } from 'zod';

interface Note {
  /** What operators may read of the value: all, or of an address where it leads and not how one gets in. */
  shows?: 'value' | 'address';
  /** What the service does not do while the setting is not set. */
  switchesOff?: string;
}

/** What is said of settings beside their shapes. Nothing that isn't said here, or plain by its shape, is ever shown. */
const notes = z.registry<Note>();

function noted<Schema extends z.ZodType>(schema: Schema, note: Note): Schema {
  const all = notes as {
    get(schema: z.ZodType): Note | undefined;
    add(schema: z.ZodType, note: Note): unknown;
  };
  all.add(schema, { ...all.get(schema), ...note });
  return schema;
}

/** Marks a text that is no secret: an operator may read it. */
export function shown<Schema extends z.ZodType>(schema: Schema): Schema {
  return noted(schema, { shows: 'value' });
}

/** Marks an address: its origin and path are shown, without names, passwords and queries. */
export function shownAddress<Schema extends z.ZodType>(schema: Schema): Schema {
  return noted(schema, { shows: 'address' });
}

/** A setting that one may do without, and what is done without then. */
export function optionalFor<Schema extends z.ZodType>(
  schema: Schema,
  switchesOff: string,
): z.ZodOptional<Schema> {
  return noted(z.optional(schema), { switchesOff });
}

/** Says of a setting with a default what its default switches off. */
export function switchedOffBy<Schema extends z.ZodType>(schema: Schema, switchesOff: string): Schema {
  return noted(schema, { switchesOff });
}

/** A setting's note and whether its shape alone leaves no room for a secret: numbers, booleans, words of a list. */
export interface Disclosure extends Note {
  isPlain: boolean;
}

export function disclosureOf(schema: z.ZodType): Disclosure {
  const found: Disclosure = { isPlain: false };
  for (let inner: z.core.$ZodType | undefined = schema; inner; inner = within(inner)) {
    const note = notes.get(inner as z.ZodType);
    if (note?.shows) found.shows ??= note.shows;
    if (note?.switchesOff) found.switchesOff ??= note.switchesOff;
    found.isPlain ||= plainTypes.has(inner._zod.def.type);
  }
  return found;
}

const plainTypes = new Set<string>(['number', 'boolean', 'enum', 'literal']);

/** What a shape wraps; of one that is read and then changed, how it is read. */
function within(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  return def.innerType ?? def.in;
}
