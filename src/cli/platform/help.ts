import { Help, type HelpConfiguration } from 'commander';
import type { AnyOperation } from '../../platform/api.ts';
import { credentialText } from './credentials.ts';
import type { Input } from './inputs.ts';
import { exampleOf } from './samples.ts';

/** All exit codes of the platform commands. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'a file could not be read, or a check found a fault',
  64: 'wrong usage, or a file cannot be written',
  65: 'refused by the platform; or not sent, because the platform would refuse it',
  69: 'unreachable, silent or interrupted',
  70: 'internal error, or an unreadable answer',
  73: 'the data folder cannot be used',
  75: 'the platform is busy',
  77: 'not allowed',
  78: 'the configuration has a fault',
  130: 'interrupted',
};

const LABEL = 13;

/** Returns what a command's help shows below the flags: method and path, an example, and exit codes. */
export function manualOf(operation: AnyOperation, inputs: readonly Input[], width: number): string {
  const { method, path, destroys, alternatives = [] } = operation;
  const others = alternatives.map((other) => `${other.method ?? method} ${other.path ?? path}`);
  const codes = Object.entries(EXIT_CODES).map(([code, means]) => `${code} ${means}`);
  const row = (label: string, text: string): string =>
    hanging(`${label}:`.padEnd(LABEL), text, { indent: LABEL, width });
  return [
    '',
    `Request:     ${[`${method} ${path}`, ...others].join('\n          or ')}`,
    row('Credential', credentialText(operation)),
    ...(destroys ? [row('Careful', 'this cannot be undone; asks first, or needs --yes')] : []),
    // Do not wrap the example, so that people can copy it.
    `Example:     ${exampleOf(operation, inputs)}`,
    row('Exit codes', codes.join('; ')),
  ].join('\n');
}

/**
 * Settings for commander's help. A list of commands shows only their names, because some commands have twenty flags. A
 * command's own help shows its flags.
 */
export const HELP: HelpConfiguration = {
  subcommandTerm: (command) => command.name(),
  // Leave out the choices, because the description contains them.
  optionDescription: ({ description }) => description,
  commandUsage(command) {
    const usage = Help.prototype.commandUsage.call(this, command);
    const width = this.helpWidth ?? WIDTH;
    return hanging('', usage, { indent: 'Usage: '.length, width });
  },
};

/** Width in columns, used if the terminal does not report one. */
export const WIDTH = 80;

/** Wraps a text after its label. Lines that continue it are indented to where the text begins. */
function hanging(
  label: string,
  text: string,
  { indent, width }: { readonly indent: number; readonly width: number },
): string {
  const lines = new Help().boxWrap(text, Math.max(width - indent, WIDTH / 2));
  return label + lines.replaceAll('\n', `\n${' '.repeat(indent)}`);
}
