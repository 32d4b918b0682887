/**
 * The terminal's output, in which foreign names and texts can't control the terminal. A pipe or a file receives only
 * the messages, without color and progress lines.
 */
import { styleText } from 'node:util';
import { plainLines, plainText } from '@botyard/shared/log/plain-text';

export type Screen = {
  /** Shows a progress line, which the next output replaces. */
  wait(line: string): void;
  say(who: string, text: string): void;
  end(): void;
};

export function createScreen(out: NodeJS.WriteStream = process.stdout): Screen {
  const isTerminal = out.isTTY === true;
  let isWaiting = false;
  const clear = () => {
    if (isTerminal) out.write('\r\u001b[K');
    isWaiting = false;
  };
  return {
    wait: (line) => {
      if (!isTerminal) return;
      out.write(`\r\u001b[K${styleText('dim', plainText(line))}`);
      isWaiting = true;
    },
    say: (who, text) => {
      clear();
      out.write(
        `${isTerminal ? styleText(['bold', 'cyan'], plainText(who)) : plainText(who)}: ${plainLines(text)}\n`,
      );
    },
    end: () => {
      if (isWaiting) clear();
    },
  };
}
