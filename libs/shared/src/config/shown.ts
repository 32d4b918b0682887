import { z } from 'zod';

interface Note {
  /** The part that operators may read: the whole value, or an address without its credentials. */
  shows?: 'value' | 'address';
  /** The feature that is off while the setting is unset. */
  switchesOff?: string;
}

/** Notes on settings beside their shapes. A value is shown only if its note or its plain shape allows it. */
const notes = z.registry<Note>();

function noted<Schema extends z.ZodType>(schema: Schema, note: Note): Schema {
  const all = notes as {
    get(schema: z.ZodType): Note | undefined;
    add(schema: z.ZodType, note: Note): unknown;
  };
  all.add(schema, { ...all.get(schema), ...note });
  return schema;
}

/** Marks a text that is not secret: operators may read it. */
export function shown<Schema extends z.ZodType>(schema: Schema): Schema {
  return noted(schema, { shows: 'value' });
}

/** Marks an address: its origin and path are shown, without names, passwords and queries. */
export function shownAddress<Schema extends z.ZodType>(schema: Schema): Schema {
  return noted(schema, { shows: 'address' });
}

/** An optional setting, with the feature that is off without it. */
export function optionalFor<Schema extends z.ZodType>(
  schema: Schema,
  switchesOff: string,
): z.ZodOptional<Schema> {
  return noted(z.optional(schema), { switchesOff });
}

/** Notes the feature that a setting's default switches off. */
export function switchedOffBy<Schema extends z.ZodType>(schema: Schema, switchesOff: string): Schema {
  return noted(schema, { switchesOff });
}

/** A setting's note, and whether its shape alone excludes secrets: numbers, booleans, words of a list. */
export interface Disclosure extends Note {
  isPlain: boolean;
}

export function disclosureOf(schema: z.ZodType): Disclosure {
  const disclosure: Disclosure = { isPlain: false };
  for (let inner: z.core.$ZodType | undefined = schema; inner; inner = within(inner)) {
    const note = notes.get(inner as z.ZodType);
    if (note?.shows) disclosure.shows ??= note.shows;
    if (note?.switchesOff) disclosure.switchesOff ??= note.switchesOff;
    disclosure.isPlain ||= plainTypes.has(inner._zod.def.type);
  }
  return disclosure;
}

const plainTypes = new Set<string>(['number', 'boolean', 'enum', 'literal']);

/** The wrapped schema; for a transformed one, its input. */
function within(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  return def.innerType ?? def.in;
}
