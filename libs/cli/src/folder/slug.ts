const maxLength = 60;

/**
 * A file's name for a thing's name: lower case, digits and hyphens, and not taken yet. Accents are dropped; a name
 * without any usable letter becomes `unnamed`.
 */
export function slugOf(name: string, isTaken: (slug: string) => boolean): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, maxLength)
    .replace(/-$/, '');
  const base = plain === '' ? 'unnamed' : plain;
  let slug = base;
  for (let number = 2; isTaken(slug); number += 1) slug = `${base}-${number}`;
  return slug;
}

/** Whether a text may name a file of the folder. */
export const isSlug = (text: string): boolean => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && text.length <= 70;
