export const round = (value: number): number => Math.round(value * 10) / 10;

export const escaped = (raw: string): string =>
  raw.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? sign);

export function text(x: number, y: number, words: string, more = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" fill="#222" ${more}>${escaped(words)}</text>`;
}

/** Returns the start of a standalone picture. Its background is white, so that it is readable on any page. */
export const frame = ({
  title,
  width,
  height,
}: {
  title: string;
  width: number;
  height: number;
}): string[] => [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
  `<title>${escaped(title)}</title>`,
  `<rect width="${width}" height="${height}" fill="#fff"/>`,
];
