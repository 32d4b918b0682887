/** The style of a stretch of visible text. `pre` holds the language of a code block, or an empty string. */
export type Style = {
  readonly quote?: true;
  readonly href?: string;
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly code?: true;
  readonly pre?: string;
};

/** A stretch of visible text in one style. An answer is a flat list of runs, so it can be cut anywhere. */
export type Run = { text: string; readonly style: Style };

// Indents and table padding can make the output longer than the input.
const maxTextUnits = 200_000;

/**
 * Collects runs; knows line starts, so that indents and gaps between blocks appear once and only where text follows.
 */
export class RichText {
  readonly runs: Run[] = [];
  /** Written before every line of text outside code blocks. */
  indent = '';
  #gap: Run | undefined;
  #isLineStart = true;
  #units = 0;

  /** Requests `gap` before the next text, if there is text on both sides. A later call replaces an earlier one. */
  separate(gap: string, style: Style): void {
    if (this.#units > 0) this.#gap = { text: gap, style: lineStyle(style) };
  }

  write(text: string, style: Style): void {
    if (text === '' || this.#units > maxTextUnits) return;
    this.#writeGap();
    if (style.pre !== undefined) {
      this.#push(text, style);
      this.#isLineStart = text.endsWith('\n');
      return;
    }
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) this.#startLine('\n', style);
      if (line !== '') this.#writeLine(line, style);
    }
  }

  #writeGap(): void {
    if (this.#gap) this.#startLine(this.#gap.text, this.#gap.style);
    this.#gap = undefined;
  }

  #startLine(newlines: string, style: Style): void {
    this.#push(newlines, style);
    this.#isLineStart = true;
  }

  #writeLine(line: string, style: Style): void {
    if (this.#isLineStart) this.#push(this.indent, lineStyle(style));
    this.#isLineStart = false;
    this.#push(line, style);
  }

  #push(text: string, style: Style): void {
    if (text === '' || this.#units > maxTextUnits) return;
    const room = maxTextUnits - this.#units;
    const kept = text.length > room ? `${text.slice(0, room).toWellFormed()}…` : text;
    this.#units += text.length;
    const last = this.runs.at(-1);
    if (last && isSameStyle(last.style, style)) last.text += kept;
    else this.runs.push({ text: kept, style });
  }
}

/** The style of an indent or a gap inside a text of this style: part of its quote, nothing else. */
function lineStyle(style: Style): Style {
  return style.quote ? { quote: true } : {};
}

function isSameStyle(a: Style, b: Style): boolean {
  return (
    a === b ||
    (a.quote === b.quote &&
      a.href === b.href &&
      a.bold === b.bold &&
      a.italic === b.italic &&
      a.strike === b.strike &&
      a.code === b.code &&
      a.pre === b.pre)
  );
}
