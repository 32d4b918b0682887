import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './engine.ts';

/**
 * The code blocks of a section of `docs/operations.md`, without their indentation, so that tests run the documented
 * commands.
 */
export async function fencesOf(section: string): Promise<string[]> {
  const page = await readFile(join(root, 'docs', 'operations.md'), 'utf8');
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return [...own.matchAll(/^( *)```\w*\n(.*?)^ *```$/gms)].map(([, indent = '', content = '']) =>
    content
      .split('\n')
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      .join('\n'),
  );
}
