import {
  type CommandLine,
  CommandLineError,
  type Parsed,
  parseCommandLine,
  wantsHelp,
} from './command-line.ts';
import { helpOf, startOf } from './help.ts';

/**
 * The arguments of this process. `--help` ends the process with the help on stdout (exit code 0), invalid arguments end
 * it with one line on stderr (exit code 2). So a tool calls this first.
 *
 * @param read makes the tool's own options of the arguments, and may throw a `CommandLineError`, too.
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
