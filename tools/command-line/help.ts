import { type Argument, type CommandLine, type Option, optionsOf, rangeOf } from './command-line.ts';

const width = 100;

/** The command that passes arguments to the tool. npm consumes options that don't follow `--`. */
export const startOf = ({ name }: Pick<CommandLine, 'name'>): string =>
  name.startsWith('npm ') ? `${name} --` : name;

/** Returns the help of a tool: purpose, usage, arguments, options and examples, with a trailing line break. */
export function helpOf(commandLine: CommandLine): string {
  const { about, arguments: known = [], passedOn, examples } = commandLine;
  const options = Object.entries(optionsOf(commandLine)).map(
    ([name, option]) => [writtenOption(name, option), aboutOption(option)] as const,
  );
  const lines = [...options, ...(passedOn === undefined ? [] : [['-- …', passedOn] as const])];
  const args = known.map((argument) => [argument.name, aboutArgument(argument)] as const);
  const usage = [startOf(commandLine), ...known.map(writtenArgument), '[options]'];
  return [
    wrapped(about, 0),
    `Usage: ${usage.join(' ')}${passedOn === undefined ? '' : ' [-- …]'}`,
    ...(args.length > 0 ? [`Arguments:\n${columns(args)}`] : []),
    `Options:\n${columns(lines)}`,
    `Examples:\n${examples.map((example) => `  ${example.command}\n      ${wrapped(example.about, 6)}`).join('\n')}`,
  ]
    .join('\n\n')
    .concat('\n');
}

function writtenArgument({ name, isRequired, takesMany }: Argument): string {
  const written = `${name}${takesMany ? ' …' : ''}`;
  return isRequired ? `<${written}>` : `[${written}]`;
}

function aboutArgument({ about, values, otherwise }: Argument): string {
  return [about, values && `One of: ${values.join(', ')}.`, otherwise && `Default: ${otherwise}.`]
    .filter(Boolean)
    .join(' ');
}

function writtenOption(name: string, option: Option): string {
  const value = option.type === 'flag' ? '' : ` <${option.type === 'number' ? 'number' : option.value}>`;
  return `${option.short === undefined ? '' : `-${option.short}, `}--${name}${value}`;
}

function aboutOption(option: Option): string {
  if (option.type === 'flag') return option.about;
  const range = option.type === 'number' ? `Takes ${rangeOf(option)}.` : '';
  const otherwise =
    option.type === 'number' && option.default !== undefined ? option.default : option.otherwise;
  return [option.about, range, otherwise === undefined ? '' : `Default: ${otherwise}.`]
    .filter(Boolean)
    .join(' ');
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const first = Math.max(...rows.map(([name]) => name.length)) + 4;
  return rows.map(([name, text]) => `  ${name.padEnd(first - 2)}${wrapped(text, first)}`).join('\n');
}

/** Wraps a text between words. All lines but the first are indented. */
function wrapped(text: string, indent: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && indent + line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
