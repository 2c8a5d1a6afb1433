import { Command, CommanderError, Option } from 'commander';
import { usage } from '../../errors.ts';
import { type AnyOperation, CAPABILITIES, operations } from '../../platform/api.ts';
import type { CommandDeps } from '../channels.ts';
import { nameOwnHelp, outputAsRun } from '../project.ts';
import { checkPlatform, testSignIn } from './check.ts';
import { CONDITION_HELP } from './conditions.ts';
import { HELP, manualOf, WIDTH } from './help.ts';
import { type Input, inputsOf } from './inputs.ts';
import { printToken, type RunOptions, runOperation, type TokenOptions } from './run.ts';
import { flagName } from './samples.ts';
import { WAITS } from './settled.ts';
import { listOperations } from './show.ts';
import { CHANGEABLE, importUsers, updateUser } from './users.ts';

/** The flags of a command: those that every operation has, and one for each field of its request. */
type Flags = RunOptions & Readonly<Record<string, unknown>>;

type Exit = (work: (deps: CommandDeps) => Promise<number>) => Promise<void>;

/** Runs `parley platform …`, which has one command per operation, and some commands that make several calls. */
export async function platform(
  _options: object,
  deps: CommandDeps,
  [args]: readonly [readonly string[]],
): Promise<number> {
  let code = 0;
  const exit: Exit = async (work) => {
    code = await work(deps);
  };
  try {
    await platformCommand(exit).parseAsync([...args], { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : USAGE;
    throw thrown;
  }
}

/** Exit code for a wrong command line (EX_USAGE of sysexits). */
const USAGE = 64;

/** Returns the tree of all platform commands. Shell completion uses it too. */
export function platformCommand(exit: Exit): Command {
  const root = new Command('parley platform')
    .description('Calls any of the 61 operations of the agent platform, grouped by capability')
    .exitOverride()
    .configureOutput(outputAsRun)
    .configureHelp(HELP);
  root
    .command('operations')
    .description('list every operation with its command, method, path and credential')
    .option('--json', 'print the list as JSON')
    .action((options: { json?: true }) => exit(() => listOperations(options)));
  common(
    root.command('check').description('show the address of the platform, and check that it answers'),
  ).action((options: RunOptions) => exit((deps) => checkPlatform(options, deps)));
  for (const [capability, title] of Object.entries(CAPABILITIES)) {
    const group = root.command(capability).description(title);
    for (const operation of operations.filter((each) => each.capability === capability)) {
      operationCommand(group, operation, exit);
    }
    if (capability === 'auth') signInCommands(group, exit);
    if (capability === 'users') userCommands(group, exit);
    refuseOthers(group, `${capability} has no operation`);
  }
  refuseOthers(root, 'There is no capability');
  return nameOwnHelp(root);
}

/** Makes an unknown command fail with a list of the known ones. */
function refuseOthers(group: Command, complaint: string): void {
  const known = group.commands.map((each) => each.name()).join(', ');
  group.on('command:*', ([word]: readonly string[]) => {
    throw usage(`${complaint} "${word}": unknown command. Known commands: ${known}.`);
  });
}

function common(command: Command): Command {
  return command
    .option('--json', 'print the result as JSON')
    .option('--config <file>', 'configuration file (default: PARLEY_CONFIG, else parley.yaml)')
    .option('--platform <name>', 'the platform in `platforms` (default: that of --agent, else main)');
}

function operationCommand(group: Command, operation: AnyOperation, exit: Exit): void {
  const inputs = inputsOf(operation);
  const placed = inputs.filter(({ positional }) => positional);
  const command = group.command(operation.command).description(operation.doc);
  for (const { name, flag, doc, kind } of placed) {
    const many = kind === 'texts' || kind === 'files';
    command.argument(many ? `[${flag}...]` : `[${flag}]`, doc || name);
  }
  for (const input of inputs) for (const option of optionsOf(input)) command.addOption(option);
  extraOptions(common(command), operation, inputs);
  command.addHelpText('after', () => manualOf(operation, inputs, process.stdout.columns ?? WIDTH));
  command.action((...given: unknown[]) => {
    const flags = command.opts<Flags>();
    const places = given.slice(0, placed.length);
    return exit((deps) => runOperation(operation, givenOf(inputs, flags, places), flags, deps));
  });
}

/** Returns the flags for one field of a request. */
function optionsOf(input: Input): readonly Option[] {
  const { doc, kind, choices, fallback, required } = input;
  const long = `--${flagName(input)}`;
  const remarks = [
    ...(required ? ['needed'] : []),
    ...(choices === undefined ? [] : [choices.join(' | ')]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ];
  const text = remarks.length === 0 ? doc : `${doc} (${remarks.join('; ')})`;
  if (kind === 'switch')
    return [new Option(long, text), new Option(`--no-${flagName(input)}`, 'the opposite')];
  const option = new Option(`${long} ${VALUES[kind]}`, text);
  // The choices serve only completion: the operation itself refuses other values, with its usual message.
  if (choices !== undefined) option.argChoices = [...choices];
  if (kind !== 'texts' && kind !== 'files') return [option];
  return [option.argParser(collected)];
}

/** Collects the values of an option that may be given several times. */
const collected = (value: string, before: readonly string[] = []) => [...before, value];

const VALUES: Readonly<Record<Exclude<Input['kind'], 'switch'>, string>> = {
  text: '<text>',
  number: '<number>',
  texts: '<text>',
  file: '<path>',
  files: '<path>',
  yaml: '<yaml>',
  secret: '<path>',
};

/**
 * Adds the flags that are not fields of the request, such as those for how the call is made and how its result is
 * shown.
 */
function extraOptions(command: Command, operation: AnyOperation, inputs: readonly Input[]): void {
  const { credential, body, shape, answer, destroys, id } = operation;
  if (credential === 'open' || credential === 'bearer')
    command.option('--as <account>', 'act as this platform account');
  if (credential !== 'none' && credential !== 'admin')
    command.option('--agent <name>', 'use the credential of this agent instead of platform.credentials');
  if (body === 'json')
    command.option('--file <path>', 'read the request from this YAML or JSON file; - is the standard input');
  if (inputs.some(({ name }) => name === 'conditions')) {
    command.option(
      '--where <condition>',
      `list only what meets this condition; may be repeated: ${CONDITION_HELP}`,
      collected,
    );
  }
  if (shape === 'page') command.option('--all', 'fetch every page');
  if (destroys) command.option('--yes', 'do not ask for confirmation');
  if (WAITS.has(id)) command.option('--wait', 'wait until the files are indexed');
  if (answer === 'bytes') {
    command.option('-o, --output <path>', 'write the content to this file; - is the standard output');
    command.option('--force', 'overwrite an existing file');
  }
}

/** Returns the arguments by field name. If a field is given both by position and by its flag, the position counts. */
function givenOf(
  inputs: readonly Input[],
  flags: Flags,
  places: readonly unknown[],
): Record<string, unknown> {
  const placed = inputs.filter(({ positional }) => positional);
  const given: Record<string, unknown> = {};
  for (const input of inputs) {
    const value = flags[new Option(`--${flagName(input)}`).attributeName()];
    if (value !== undefined) given[input.name] = value;
  }
  for (const [index, input] of placed.entries()) {
    const value = places[index];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) given[input.name] = value;
  }
  return given;
}

function signInCommands(group: Command, exit: Exit): void {
  common(group.command('token').description('print an access token for other tools'))
    .option('--lite', 'print a token of the lite interface instead of the Open API')
    .option('--agent <name>', 'use the credential of this agent')
    .option('--as <account>', 'print a token of this platform account')
    .action((options: TokenOptions) => exit((deps) => printToken(options, deps)));
  common(group.command('test').description('sign in with every credential that is configured'))
    .option('--agent <name>', 'use the credential of this agent')
    .option('--as <account>', 'act as this platform account')
    .action((options: RunOptions) => exit((deps) => testSignIn(options, deps)));
}

function userCommands(group: Command, exit: Exit): void {
  const update = group
    .command('update')
    .description(
      'Changes some fields of a user and keeps the others: reads the whole record, changes the fields, and sends it back.',
    )
    .argument('<user-code>', 'User id or user name');
  for (const input of CHANGEABLE) {
    for (const option of optionsOf({ ...input, required: false })) update.addOption(option);
  }
  common(update)
    .option('--as <account>', 'act as this platform account')
    .action((userCode: string) => {
      const flags = update.opts<Flags>();
      return exit((deps) => updateUser(userCode, givenOf(CHANGEABLE, flags, []), flags, deps));
    });
  common(
    group
      .command('import')
      .description('Creates a user for each line of a CSV file, or no user if one line is not accepted.'),
  )
    .argument(
      '<file>',
      'CSV file whose header contains userName and other user fields; - is the standard input',
    )
    .option('--password-file <path>', 'file with the initial password of all these users')
    .option('--as <account>', 'act as this platform account')
    .action((path: string, options: RunOptions) => exit((deps) => importUsers(path, options, deps)));
}
