/** Tones of skin, and the selectors of how a character is drawn. */
const variants = /[\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f]/gu;

/** The rating that a reaction stands for: a thumb, in any tone of skin. Others stand for none. */
export function ratingOfEmoji(emoji: string): 'up' | 'down' | null {
  const plain = emoji.slice(0, 20).replaceAll(variants, '');
  if (plain === '👍') return 'up';
  return plain === '👎' ? 'down' : null;
}
