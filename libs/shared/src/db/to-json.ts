const wellFormed = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value;

/** JSON that Postgres can read: it refuses half of a surrogate pair, which callers, platforms and models may send. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Only that half is written like this. Another text that contains it is only written twice.
  return json?.includes('\\ud') ? JSON.stringify(value, wellFormed) : json;
}
