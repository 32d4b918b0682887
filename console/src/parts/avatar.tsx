const tints = [
  'bg-accent-tint text-accent',
  'bg-person-tint text-person',
  'bg-good-tint text-good',
  'bg-staff-tint text-staff',
] as const;

const sizes = { small: 'size-6 text-[0.625rem]', medium: 'size-9 text-xs' } as const;

/** The initials of a name in a color that stays the same for this name. The name itself stands beside it. */
export function Avatar({ name, size = 'medium' }: { name: string; size?: keyof typeof sizes }) {
  const tint = tints[Math.abs(hashOf(name)) % tints.length]!;
  return (
    <span
      aria-hidden="true"
      className={`inline-grid shrink-0 place-items-center overflow-hidden rounded-full font-semibold select-none ${sizes[size]} ${tint}`}
    >
      {initialsOf(name)}
    </span>
  );
}

/** The first letters of the first and the last word. Whole characters, also where one takes several code points. */
export function initialsOf(name: string): string {
  const words = name.slice(0, 200).trim().split(/\s+/u);
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  return ends.map((word) => firstCharacter(word).toUpperCase()).join('');
}

/** The first letter or digit, without the marks that can be piled upon it. */
function firstCharacter(word: string): string {
  return /[\p{L}\p{N}]/u.exec(word)?.[0] ?? '';
}

const hashOf = (text: string): number => {
  let hash = 0;
  for (const character of text.slice(0, 200)) hash = (hash * 31 + character.codePointAt(0)!) | 0;
  return hash;
};
