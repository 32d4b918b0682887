/** Digits laid into the shape of a text: its separators stay. */
export function inShapeOf(shape: string, digits: string): string {
  let at = 0;
  return shape.replace(/\d/g, () => digits[at++] ?? '0');
}

/** `100001` for the first of six digits. */
export const numberOfLength = (length: number, count: number, first = '1'): string =>
  `${first}${String(count).padStart(length - 1, '0')}`.slice(0, length);

/** Whether the last digit of a card's number checks the others. */
export const isCard = (digits: string): boolean =>
  digits.length >= 13 && digits.length <= 19 && luhnSum(digits) % 10 === 0;

/** The number of a card that doesn't exist. */
export function cardOfLength(length: number, count: number): string {
  const body = `4${String(count).padStart(length - 2, '0')}`;
  return `${body}${(10 - (luhnSum(`${body}0`) % 10)) % 10}`;
}

function luhnSum(digits: string): number {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum;
}

/** Whether the check digits of an account's number are right. It has no spaces. */
export const isIban = (compact: string): boolean => remainderOf(compact) === 1;

/** The number of an account that doesn't exist. */
export function ibanOf(country: string, length: number, count: number): string {
  const account = String(count).padStart(length - 4, '0');
  const check = 98 - remainderOf(`${country}00${account}`);
  return `${country}${String(check).padStart(2, '0')}${account}`;
}

function remainderOf(compact: string): number {
  let remainder = 0;
  for (const character of `${compact.slice(4)}${compact.slice(0, 4)}`.toUpperCase()) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
