// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text of the server or of a file, without characters that move the cursor or reorder the line of a terminal. */
export const printable = (text: string): string => text.replace(unprintable, '\ufffd');
