/**
 * The fields of a request body as the platforms take them: JSON object, urlencoded or multipart. Anything else has no
 * fields.
 */
export async function readParams(
  contentType: string | undefined,
  body: Buffer,
): Promise<Record<string, unknown>> {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (body.length === 0) return {};
  if (type === 'application/json') return jsonFields(body);
  if (type === 'application/x-www-form-urlencoded') {
    return joinRepeated(new URLSearchParams(body.toString('utf8')));
  }
  if (type === 'multipart/form-data') return multipartFields(contentType ?? '', body);
  return {};
}

/** Repeated names become arrays, in order. */
function joinRepeated(fields: Iterable<[string, unknown]>): Record<string, unknown> {
  const joined: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    const before = joined[name];
    if (before === undefined) joined[name] = value;
    else joined[name] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return joined;
}

function jsonFields(body: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : {};
  } catch {
    return {};
  }
}

/** A file in a form. */
export interface FormFile {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  bytes: Buffer;
}

const aboutFile = ({ name: fileName, type: contentType, size: sizeBytes }: File) => ({
  fileName,
  contentType,
  sizeBytes,
});

async function multipartFields(contentType: string, body: Buffer): Promise<Record<string, unknown>> {
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    }).formData();
    const fields: [string, unknown][] = [];
    for (const [name, value] of form) {
      const isText = typeof value === 'string';
      fields.push([
        name,
        isText ? value : { ...aboutFile(value), bytes: Buffer.from(await value.arrayBuffer()) },
      ]);
    }
    return joinRepeated(fields);
  } catch {
    return {};
  }
}
