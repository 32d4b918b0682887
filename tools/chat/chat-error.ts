/** Something that the person at the terminal can act on; its message is one line that says what to do next. */
export class ChatError extends Error {}
