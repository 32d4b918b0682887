const html = /^(text\/html|application\/xhtml\+xml)$/;
const otherText = /^(text\/[\w.+-]+|application\/(json|xml|[\w.-]+\+(json|xml)))$/;

/** A body as text, HTML without its tags; `undefined` if it isn't text. Unknown charsets are read as UTF-8. */
export async function readPage(body: Buffer, contentType: string): Promise<string | undefined> {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const isHtml = html.test(type);
  if (!isHtml && !otherText.test(type)) return undefined;
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  const text = decode(body, charset?.replaceAll('"', '') ?? 'utf-8');
  if (!isHtml) return text;
  const { readHtml } = await import('@botyard/shared/files/documents/read-html');
  return readHtml(text)
    .map((section) => [section.heading, section.text].filter((part) => part !== '').join('\n'))
    .join('\n\n');
}

function decode(body: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
