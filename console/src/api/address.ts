interface Request {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** The address of a request: its path with the names filled in, and its query. */
export function addressOf(path: string, { path: names = {}, query = {} }: Request): string {
  const whole = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return search.size > 0 ? `${whole}?${search}` : whole;
}
