import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { processEnvironment } from '../config/environment.ts';
import { asBridgeError, exitCode } from '../errors.ts';
import type { Channel } from '../kit/channel.ts';
import type { CommandDeps } from './channels.ts';
import { plain } from './print.ts';
import { asRun, nameOwnHelp, outputAsRun, projectVersion } from './project.ts';

/** Exit code for a wrong command line (EX_USAGE of sysexits). */
const USAGE = 64;

/** Resolves with the exit code of a command. */
type Exit = Promise<number>;

/** Commands whose help lists the channels. */
const TELL_CHANNELS = ['manifest', 'completion'];

/** Runs one command and resolves with its exit code. Loads only the code that this command needs. */
export async function run(args: readonly string[], deps: CommandDeps): Exit {
  let exit = 0;
  // Commander calls an action with the arguments, the options and the command.
  const lazy: Lazy =
    <Options, Names>(load: Load<Options, Names>) =>
    async (...given: readonly unknown[]) => {
      const work = await load();
      exit = await work(given.at(-2) as Options, deps, given.slice(0, -2) as Names);
    };
  try {
    if (namesProxy()) (await import('../outgoing.ts')).useProxies();
    const channels = args.some((each) => TELL_CHANNELS.includes(each)) ? await deps.channels() : [];
    await program(lazy, channels).parseAsync([...args], { from: 'user' });
    return exit;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : USAGE;
    return report(thrown);
  }
}

/** True if the environment may name a proxy. Other commands do not load undici for it. */
const namesProxy = (): boolean =>
  Object.keys(processEnvironment()).some((name) => /^https?_proxy$/i.test(name));

function report(thrown: unknown): number {
  const error = asBridgeError(thrown);
  console.error(asRun(plain(error.message)));
  if (error.code === 'internal') console.error(plain(inspect(error.cause ?? error)));
  return exitCode(error.code);
}

/** Loads the function of a command, which gets the options, the registered parts and the arguments. */
type Load<Options, Names> = () => Promise<(options: Options, deps: CommandDeps, names: Names) => Exit>;

/** Returns an action that loads a command only when it is called, runs it, and sets the exit code. */
type Lazy = <Options, Names>(load: Load<Options, Names>) => (...given: readonly unknown[]) => Promise<void>;

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const withConfig = (command: Command): Command =>
  command.option('--config <file>', 'configuration file (default: PARLEY_CONFIG, else parley.yaml)');

/**
 * Makes commander pass all arguments on unread. The command then reads its own options and prints its own help, so that
 * its code is loaded only when it runs.
 */
const withOwnOptions = (command: Command): Command =>
  command.helpOption(false).allowUnknownOption().allowExcessArguments().argument('[arguments...]');

function program(lazy: Lazy, channels: readonly Channel[]): Command {
  const parley = new Command('parley')
    .description('Brings the agents of an agent platform into team chat')
    .version(projectVersion(), '--version', 'print the version')
    .exitOverride()
    .configureOutput(outputAsRun);
  withConfig(parley.command('start').description('start the bridge with the console')).action(
    lazy(async () => (await import('./start.ts')).start),
  );
  withConfig(parley.command('ask').description('ask one question and print the answer as it grows'))
    .argument('<question>', 'the question; - reads it from standard input')
    .option('--agent <name>', 'the agent to ask')
    .option('--image <file>', 'an image to send with the question (may be repeated)', collect)
    .option('--thread <key>', 'continue the conversation with this key; a new key starts a conversation')
    .option('--json', 'print the whole answer as JSON at the end')
    .action(lazy(async () => (await import('./ask.ts')).ask));
  withConfig(parley.command('chat').description('chat with an agent in the terminal'))
    .option('--agent <name>', 'the agent to ask')
    .option('--thread <key>', 'continue the conversation with this key; a new key starts a conversation')
    .action(lazy(async () => (await import('./chat.ts')).chat));
  withOwnOptions(parley.command('sandbox').description('run only the local agent platform')).action(
    lazy(async () => (await import('./sandbox-process.ts')).sandbox),
  );
  withOwnOptions(parley.command('platform').description('call any operation of the agent platform')).action(
    lazy(async () => (await import('./platform/program.ts')).platform),
  );
  withConfig(
    parley.command('doctor').description('check the installation, and say how to fix what is missing'),
  )
    .option('--json', 'print the findings as JSON')
    .option('--live <name>', 'try a channel, or the platform, for real: act by act, with a file of evidence')
    .option('--only <act>', 'with --live: only this act, and those that it needs (may be repeated)', collect)
    .option(
      '--allow-writes',
      'with --live platform: also ask, and create and delete a user and an organization',
    )
    .option('--list', 'with --live: list the acts, and try nothing')
    .option('--out <file>', 'with --live: write the evidence to this file')
    .action(lazy(async () => (await import('./doctor.ts')).doctor));
  withConfig(parley.command('status').description('show waiting and running turns, and the replicas'))
    .option('--json', 'print the state as JSON')
    .action(lazy(async () => (await import('./status.ts')).status));
  operatorCommands(parley, lazy);
  rulesCommands(parley, lazy);
  withConfig(parley.command('feedback').description('show the feedback on answers'))
    .option('--json', 'print all feedback as JSON')
    .option('--csv', 'print all feedback as CSV')
    .action(lazy(async () => (await import('./feedback.ts')).feedback));
  accountsCommands(parley, lazy);
  privacyCommands(parley, lazy);
  forgetCommand(parley, lazy);
  manifestCommand(withConfig(parley.command('manifest')), channels).action(
    lazy(async () => (await import('./manifest.ts')).manifest),
  );
  configCommand(parley, lazy);
  channelCommand(parley, lazy);
  conformCommand(parley, lazy);
  completionCommand(parley, lazy);
  return nameOwnHelp(parley);
}

function operatorCommands(parley: Command, lazy: Lazy): void {
  withConfig(parley.command('health').description('say whether the bridge on this machine runs')).action(
    lazy(async () => (await import('./health.ts')).health),
  );
  withConfig(parley.command('backup').description('copy the data folder, also while the bridge runs'))
    .argument('<folder>', 'new folder for the copy')
    .action(lazy(async () => (await import('./backup.ts')).backup));
  withConfig(parley.command('restore').description('put a copy that backup made in the place of the data'))
    .argument('<folder>', 'folder that backup made')
    .option('--replace', 'move data that is already there aside')
    .action(lazy(async () => (await import('./restore.ts')).restore));
  storeCommand(parley, lazy);
}

function storeCommand(parley: Command, lazy: Lazy): void {
  const store = parley.command('store').description('move the data between SQLite and PostgreSQL');
  withConfig(store.command('move').description('move the data to the other store, while no bridge runs'))
    .requiredOption('--to <store>', 'postgresql (the database of DATABASE_URL) or sqlite (the data folder)')
    .option('--dry-run', 'count what would be moved, and change nothing')
    .action(lazy(async () => (await import('./store-move.ts')).moveStore));
}

function rulesCommands(parley: Command, lazy: Lazy): void {
  withConfig(parley.command('can').description('say whether a person may ask an agent in a room'))
    .argument('<person>', 'e-mail address, id, or person:CHANNEL/ID')
    .argument('<agent>', 'name of the agent')
    .argument('<room>', 'CHANNEL/ROOM or CHANNEL/WORKSPACE/ROOM')
    .option('--explain', 'say which rule decides, and which limits apply')
    .option('--action <name>', 'what the person wants to do (default: ask)')
    .option('--standing <standing>', 'member, guest, external, bot or unproven (default: member)')
    .option('--kind <kind>', 'kind of room: direct, group or room (default: room)')
    .option('--email <address>', "the person's e-mail address, if the person is named by id")
    .option('--group <name>', "a group that the person's sign-in reports (may be repeated)", collect)
    .option('--json', 'print the decision as JSON')
    .action(lazy(async () => (await import('./rules.ts')).can));
  const rules = parley.command('rules').description('test, compare or reload the rules');
  withConfig(rules.command('test').description('compare the rules with a file of expectations'))
    .argument('<file>', 'YAML file of expectations')
    .action(lazy(async () => (await import('./rules.ts')).testRules));
  withConfig(rules.command('diff').description('compare two rules files for the people who asked recently'))
    .argument('<old>', 'rules file')
    .argument('<new>', 'rules file')
    .option('--json', 'print all changes as JSON')
    .action(lazy(async () => (await import('./rules.ts')).diffRules));
  withConfig(
    rules.command('reload').description('check the rules file, and wait until the bridge uses it'),
  ).action(lazy(async () => (await import('./rules.ts')).reloadRules));
}

function accountsCommands(parley: Command, lazy: Lazy): void {
  const accounts = parley
    .command('accounts')
    .description('show who has which platform account, or end a link');
  withConfig(accounts.command('list').description('list people with their platform accounts'))
    .option('--json', 'print the list as JSON')
    .action(lazy(async () => (await import('./accounts.ts')).listPeople));
  withConfig(accounts.command('unlink').description('end the link that a person made'))
    .argument('<person>', 'CHANNEL/ID or CHANNEL/WORKSPACE/ID')
    .option('--json', 'print the ended links as JSON')
    .action(lazy(async () => (await import('./accounts.ts')).unlinkPerson));
}

function privacyCommands(parley: Command, lazy: Lazy): void {
  const audit = parley.command('audit').description('export the audit');
  withConfig(audit.command('export').description('print the audit: who did what, where and when'))
    .option('--from <time>', 'date, or time with its zone (default: the oldest record)')
    .option('--to <time>', 'last date to include, or time with its zone (default: now)')
    .option('--format <format>', 'jsonl or csv (default: jsonl)')
    .option('--person <person>', 'only this person: ID, CHANNEL/ID or CHANNEL/WORKSPACE/ID')
    .action(lazy(async () => (await import('./audit.ts')).exportAudit));
}

function forgetCommand(parley: Command, lazy: Lazy): void {
  withConfig(parley.command('forget'))
    .description('delete everything that is stored about a person, a thread or a workspace')
    .argument('<kind>', 'person, thread or tenant')
    .argument('<id>', 'CHANNEL/ID of a person, CHANNEL/WORKSPACE/ROOM/THREAD, or CHANNEL/WORKSPACE')
    .option('--dry-run', 'print what would be deleted, and delete nothing')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the receipt as JSON')
    .option('--wait <seconds>', 'time to wait for the running bridge (default: 120)')
    .action(lazy(async () => (await import('./forget.ts')).forget));
}

function configCommand(parley: Command, lazy: Lazy): void {
  const config = parley.command('config').description('check or describe the configuration');
  withConfig(config.command('check').description('report every error in the configuration'))
    .option('--json', 'print the result as JSON')
    .action(lazy(async () => (await import('./config.ts')).checkConfig));
  config
    .command('schema')
    .description('print the JSON schema of the configuration file, for editors')
    .action(lazy(async () => (await import('./config.ts')).printSchema));
}

function channelCommand(parley: Command, lazy: Lazy): void {
  parley
    .command('channel')
    .description('write a channel of your own')
    .command('new')
    .description('make a folder with the code of a new channel, which runs with a small chat in memory')
    .argument('<name>', 'name of the channel and of the folder, such as my-chat')
    .action(lazy(async () => (await import('./channel-new.ts')).newChannel));
}

function conformCommand(parley: Command, lazy: Lazy): void {
  parley
    .command('conform')
    .description('check a channel of your own against the rules that all channels keep')
    .argument('<module>', "the channel's module, or the folder of its package")
    .option('--rig <file>', 'module that starts the chat (default: the module of the channel)')
    .option('--only <name>', 'only this check or suite (may be repeated)', collect)
    .option('--seed <number>', 'seed of the random checks, to repeat a failure')
    .option('--runs <number>', 'number of times that each random check runs (default: 20)')
    .option('--json', 'print the report as JSON')
    .action(lazy(async () => (await import('./conform.ts')).conformChannel));
}

/** @param channels listed in the command's help */
function manifestCommand(command: Command, channels: readonly Channel[]): Command {
  const made = channels.filter(({ manifest }) => manifest !== undefined);
  const packaged = made.filter(({ manifest }) => manifest === 'package').map(({ title }) => title);
  const app = `the app for ${packaged.join(' or ')}`;
  return command
    .description('print the app manifest for a chat platform')
    .argument('<channel>', made.map(({ name }) => name).join(' or '))
    .option('--out <file>', `write ${app}, with its icons, to this ZIP file`)
    .option('--app-version <version>', `version of ${app} (default: that of Parley)`);
}

function completionCommand(parley: Command, lazy: Lazy): void {
  parley
    .command('completion')
    .description('print the script that completes commands in bash, zsh or fish')
    .argument('<shell>')
    .action(
      lazy(async () => {
        const { completionFor } = await import('./completion.ts');
        const { platformCommand: tree } = await import('./platform/program.ts');
        return async (_options: object, _deps: CommandDeps, [shell]: readonly [string]) => {
          console.log(completionFor(shell, [parley, tree(async () => undefined)]));
          return 0;
        };
      }),
    );
}
