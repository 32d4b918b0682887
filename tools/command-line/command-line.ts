import { parseArgs } from 'node:util';
import { nearest } from '@botyard/shared/words/nearest';

/** An option without a value. */
interface Flag {
  type: 'flag';
  about: string;
  short?: string;
}

/** An option with a text. */
interface TextOption {
  type: 'text';
  about: string;
  /** The name of the value in one word, for example `folder`. */
  value: string;
  short?: string;
  /** The help's description of the default. */
  otherwise?: string;
}

/** An option with a number. `min` and `max` are inclusive. */
interface NumberOption {
  type: 'number';
  about: string;
  short?: string;
  min: number;
  max: number;
  isWhole?: boolean;
  default?: number;
  /** The help's description of the default, if the default is not a number. */
  otherwise?: string;
}

export type Option = Flag | TextOption | NumberOption;

/** A positional argument. */
export interface Argument {
  name: string;
  about: string;
  /** The allowed values. If unset, every value is allowed. */
  values?: readonly string[];
  isRequired?: boolean;
  /** Only the last argument can take all remaining values. */
  takesMany?: boolean;
  otherwise?: string;
}

interface Example {
  command: string;
  about: string;
}

/** The command line of one tool. Its help and its parser are both derived from this table. */
export interface CommandLine {
  /** The command that starts the tool, for example `npm run bench`. */
  name: string;
  /** One sentence. */
  about: string;
  arguments?: readonly Argument[];
  options?: Readonly<Record<string, Option>>;
  /** Describes what happens to everything after `--`. If unset, it counts as arguments. */
  passedOn?: string;
  examples: readonly [Example, Example, ...Example[]];
}

type ValueOf<O extends Option> = O extends Flag
  ? boolean
  : O extends TextOption
    ? string | undefined
    : O extends { default: number }
      ? number
      : number | undefined;

export interface Parsed<C extends CommandLine = CommandLine> {
  /** In the order of the command line. */
  arguments: string[];
  options: C extends { options: infer O extends Readonly<Record<string, Option>> }
    ? { -readonly [Name in keyof O]: ValueOf<O[Name]> }
    : Record<never, never>;
  /** Everything after `--`, if the command line has `passedOn`. */
  passedOn: string[];
}

/** An invalid command line. The message is the reason in one line. */
export class CommandLineError extends Error {}

const maxShownLength = 80;
const help = { type: 'flag', short: 'h', about: 'Shows this help.' } as const satisfies Flag;

export const optionsOf = ({ options }: CommandLine): Readonly<Record<string, Option>> => ({
  ...options,
  help,
});

/** True if the arguments ask for the help, even among other arguments. */
export const wantsHelp = (commandLine: CommandLine, args: readonly string[]): boolean =>
  tokensOf(commandLine, args).some((token) => token.kind === 'option' && token.name === 'help');

/** @throws CommandLineError for arguments that the table doesn't allow. */
export function parseCommandLine<C extends CommandLine>(commandLine: C, args: readonly string[]): Parsed<C> {
  const values: Record<string, boolean | number | string | undefined> = {};
  for (const [name, option] of Object.entries(commandLine.options ?? {}))
    values[name] = option.type === 'flag' ? false : option.type === 'number' ? option.default : undefined;
  const ownArguments: string[] = [];
  const passedOn: string[] = [];
  let isPassedOn = false;
  for (const token of tokensOf(commandLine, args)) {
    if (token.kind === 'option') values[token.name] = readValue(commandLine, token);
    else if (token.kind === 'option-terminator') isPassedOn = commandLine.passedOn !== undefined;
    else (isPassedOn ? passedOn : ownArguments).push(token.value);
  }
  checkArguments(commandLine.arguments ?? [], ownArguments);
  return { arguments: ownArguments, options: values as Parsed<C>['options'], passedOn };
}

/** Describes the allowed values of a number option. */
export function rangeOf({ isWhole, min, max }: NumberOption): string {
  return `a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`;
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];
type OptionToken = Extract<Token, { kind: 'option' }>;

function tokensOf(commandLine: CommandLine, args: readonly string[]): Token[] {
  const options = Object.entries(optionsOf(commandLine)).map(([name, { type, short }]) => {
    const parseOption = { type: type === 'flag' ? ('boolean' as const) : ('string' as const) };
    return [name, short === undefined ? parseOption : { ...parseOption, short }];
  });
  // Not strict: Node's error messages span several lines and don't suggest the intended option.
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

function readValue(commandLine: CommandLine, token: OptionToken): boolean | number | string {
  const options = optionsOf(commandLine);
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
  if (!option) throw new CommandLineError(unknown('option', token.rawName, Object.keys(options), '--'));
  const { rawName, value, inlineValue: isInline } = token;
  if (option.type === 'flag') {
    if (value !== undefined) throw new CommandLineError(`${rawName} takes no value`);
    return true;
  }
  const isNumber = option.type === 'number';
  const wanted = isNumber ? rangeOf(option) : `a value: ${rawName} <${option.value}>`;
  const isNextOption = !isInline && value?.startsWith('-') && !(isNumber && Number.isFinite(Number(value)));
  if (value === undefined || isNextOption) throw new CommandLineError(`${rawName} takes ${wanted}`);
  if (!isNumber) return value;
  const number = value.trim() === '' ? Number.NaN : Number(value);
  const isAllowed = number >= option.min && number <= option.max;
  if (isAllowed && (!option.isWhole || Number.isInteger(number))) return number;
  throw new CommandLineError(`${rawName} takes ${wanted}, not ${shown(value)}`);
}

function checkArguments(known: readonly Argument[], found: readonly string[]): void {
  for (const [at, value] of found.entries()) {
    const argument = known[at] ?? known.findLast(({ takesMany }) => takesMany);
    if (!argument) throw new CommandLineError(`unexpected argument ${shown(value)}`);
    if (!argument.values || argument.values.includes(value)) continue;
    const fault = unknown(argument.name, value, argument.values);
    throw new CommandLineError(
      fault.endsWith('?') ? fault : `${fault}: one of ${argument.values.join(', ')}`,
    );
  }
  const missing = known.find(({ isRequired }, at) => isRequired && at >= found.length);
  if (!missing) return;
  const { name, values } = missing;
  throw new CommandLineError(`<${name}> is missing${values ? `: one of ${values.join(', ')}` : ''}`);
}

function unknown(kind: string, word: string, names: readonly string[], prefix = ''): string {
  const meant = nearest(word, names);
  if (meant !== undefined) return `unknown ${kind} ${shown(word)}: did you mean ${prefix}${meant}?`;
  return `unknown ${kind} ${shown(word)}`;
}

/** Formats user input for a one-line message. */
function shown(text: string): string {
  const short = text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
  return /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(short) ? short : JSON.stringify(short);
}
