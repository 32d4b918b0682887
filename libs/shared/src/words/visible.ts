/**
 * Text in which every character that can't be seen, or can be taken for another one, is written as `\uXXXX`. Linear in
 * its length. Characters below a space stay: JSON has none.
 */
const visibleText = (text: string): string =>
  text
    .replace(words, (word) => (isMistakable(word) ? escaped(word, foreignLetters) : word))
    .replace(hidden, escapedUnits);

/** Indented JSON that looks like no other value. */
export const visibleJson = (value: unknown): string => visibleText(JSON.stringify(value, null, 2));

/** Lines of prose, with all control characters written out, so that no two texts look alike. */
export const visibleProse = (prose: string): string =>
  prose
    .split('\n')
    .map((line) => visibleText(JSON.stringify(line).slice(1, -1)))
    .join('\n');

/** Runs of letters, of at most 200 units each, so that a pattern never looks back over a long one. */
const words = /[\p{L}\p{N}\p{M}]{1,200}/gu;

/**
 * Control and format characters, spaces other than the plain one, marks that combine with any letter, characters of
 * private use and unassigned ones, halves of surrogate pairs, and forms that stand for ASCII.
 */
const hidden =
  /[\u{7f}-\u{a0}\u{ad}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\p{DI}]|(?! )\p{Zs}|\p{sc=Zinh}|[\u{2010}-\u{2012}\u{2024}\u{2044}\u{2212}\u{2215}\u{2236}\u{2028}\u{a789}\u{2b9}-\u{2bc}\u{2c8}\u{37e}\u{589}\u{5c3}\u{2032}]|[\u{ff01}-\u{ff5e}\u{1d400}-\u{1d7ff}\u{2460}-\u{24ff}\u{2100}-\u{214f}]/gu;

/** Letters of other scripts that look like Latin ones. */
const foreignLetters =
  /[\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{sc=Cher}\p{sc=Copt}\p{sc=Lisu}\p{sc=Tfng}\u{250}-\u{2af}ı]/gu;
const latinLetter = /\p{sc=Latn}/u;
/** Cyrillic, Greek and Armenian letters that have a Latin twin. */
const onlyTwins = /^[аеорсухіјѕԁһԛԝүАВЕКМНОРСТУХІЈЅԌҮΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναρυχκօհոսցՕՍ\p{N}]+$/u;

/** Whether a word could be read as a Latin one although it has letters of another script. */
function isMistakable(word: string): boolean {
  foreignLetters.lastIndex = 0;
  return foreignLetters.test(word) && (latinLetter.test(word) || onlyTwins.test(word));
}

const escaped = (text: string, which: RegExp): string => text.replace(which, escapedUnits);

const escapedUnits = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
