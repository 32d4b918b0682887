import {
  type CommandLine,
  CommandLineError,
  type Parsed,
  parseCommandLine,
  wantsHelp,
} from './command-line.ts';
import { helpOf, startOf } from './help.ts';

/**
 * Reads the arguments of this process. `--help` prints the help on stdout and exits with code 0. Invalid arguments
 * print one line on stderr and exit with code 2. A tool therefore calls this first.
 *
 * @param read converts the arguments to the tool's options. It may throw a `CommandLineError`.
 */
export function readCommandLine<C extends CommandLine>(commandLine: C): Parsed<C>;
export function readCommandLine<T>(commandLine: CommandLine, read: (args: readonly string[]) => T): T;
export function readCommandLine(
  commandLine: CommandLine,
  read: (args: readonly string[]) => unknown = (args) => parseCommandLine(commandLine, args),
): unknown {
  const args = process.argv.slice(2);
  if (wantsHelp(commandLine, args)) {
    process.stdout.write(helpOf(commandLine));
    process.exit(0);
  }
  try {
    return read(args);
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error;
    const end = error.message.endsWith('?') ? '' : '.';
    process.stderr.write(`${commandLine.name}: ${error.message}${end} See ${startOf(commandLine)} --help\n`);
    process.exit(2);
  }
}
