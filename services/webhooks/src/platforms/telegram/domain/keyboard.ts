import type { Button } from '../clients/send-body.ts';

/** The platform's limit of a button's data. */
const maxDataBytes = 64;
/** A wider row cuts its texts on a phone. */
const maxUnitsOfRow = 26;
const maxButtonsOfRow = 3;

/** The buttons of these texts, which are all different; short ones share a row. */
export function toKeyboard(choices: readonly string[]): Button[][] {
  const rows: Button[][] = [];
  let unitsOfRow = 0;
  for (const [index, text] of choices.entries()) {
    const row = rows.at(-1);
    const button = { text, callback_data: dataOf(text, index) };
    if (row && row.length < maxButtonsOfRow && unitsOfRow + text.length <= maxUnitsOfRow) {
      row.push(button);
      unitsOfRow += text.length;
    } else {
      rows.push([button]);
      unitsOfRow = text.length;
    }
  }
  return rows;
}

/**
 * The text itself, which counts as the person's message when the platform no longer sends the button with its press. A
 * longer one is cut, and ends with its number, so that no two buttons have the same data.
 */
function dataOf(text: string, index: number): string {
  if (Buffer.byteLength(text) <= maxDataBytes) return text;
  const end = `… ${index + 1}`;
  const room = maxDataBytes - Buffer.byteLength(end);
  let data = '';
  for (const character of text) {
    if (Buffer.byteLength(data + character) > room) break;
    data += character;
  }
  return data + end;
}
