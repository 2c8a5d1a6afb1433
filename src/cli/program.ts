import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { asBridgeError, exitCode } from '../errors.ts';
import type { AskOptions } from './ask.ts';
import type { ChatOptions } from './chat.ts';
import type { DoctorOptions } from './doctor.ts';
import type { FeedbackOptions } from './feedback.ts';
import type { ManifestOptions } from './manifest.ts';
import { plain } from './print.ts';
import { asRun, outputAsRun, projectVersion } from './project.ts';

/** sysexits: the command was written wrongly. */
const USAGE = 64;

/** What a command ends with. */
type Exit = Promise<number>;

/** Runs one command; resolves with the exit code. Each command's parts are loaded only when it is the one. */
export async function run(args: readonly string[]): Exit {
  let exit = 0;
  const does: Does =
    (work) =>
    async (...given) => {
      exit = await work(...given);
    };
  try {
    await program(does).parseAsync([...args], { from: 'user' });
    return exit;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : USAGE;
    return report(thrown);
  }
}

/** Who read the output has seen enough (`… | head`): that is no error. */
export function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

function report(thrown: unknown): number {
  const error = asBridgeError(thrown);
  console.error(asRun(plain(error.message)));
  if (error.code === 'internal') console.error(plain(inspect(error.cause ?? error)));
  return exitCode(error.code);
}

/** An action of commander whose result is the exit code. */
type Does = <Given extends unknown[]>(work: (...given: Given) => Exit) => (...given: Given) => Promise<void>;

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function program(does: Does): Command {
  const parley = new Command('parley')
    .description('Brings the agents of an agent platform into team chat')
    .version(projectVersion(), '--version', 'print the version')
    .exitOverride()
    .configureOutput(outputAsRun)
    .showHelpAfterError('Try: parley --help');
  const withConfig = (command: Command): Command =>
    command.option('--config <file>', 'configuration file (default: PARLEY_CONFIG, else parley.yaml)');

  withConfig(parley.command('start').description('start the bridge with the console')).action(
    does(async (options: { config?: string }) => (await import('./start.ts')).start(options)),
  );
  withConfig(parley.command('ask').description('ask one question and print the answer as it grows'))
    .argument('<question>', 'the question; - reads it from standard input')
    .option('--agent <name>', 'whom to ask')
    .option('--image <file>', 'an image to send along (may be repeated)', collect)
    .option('--thread <key>', 'go on in the conversation of this key')
    .option('--json', 'print the whole answer as JSON at the end')
    .action(
      does(async (question: string, options: AskOptions) =>
        (await import('./ask.ts')).ask(question, options),
      ),
    );
  withConfig(parley.command('chat').description('have a conversation in the terminal'))
    .option('--agent <name>', 'whom to ask')
    .option('--thread <key>', 'go on in the conversation of this key')
    .action(does(async (options: ChatOptions) => (await import('./chat.ts')).chat(options)));
  parley
    .command('sandbox')
    .description('run the local agent platform by itself')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[options...]')
    .action(does(async (options: readonly string[]) => (await import('./sandbox.ts')).sandbox(options)));
  platformCommand(parley, does);
  withConfig(parley.command('doctor').description('look for what is missing, and say how to mend it'))
    .option('--json', 'print the findings as JSON')
    .action(does(async (options: DoctorOptions) => (await import('./doctor.ts')).doctor(options)));
  withConfig(parley.command('feedback').description('show what people thought of the answers'))
    .option('--json', 'print every word of feedback as JSON')
    .option('--csv', 'print every word of feedback as CSV')
    .action(does(async (options: FeedbackOptions) => (await import('./feedback.ts')).feedback(options)));
  manifestCommand(withConfig(parley.command('manifest')), does);
  const config = parley.command('config').description('look at the configuration');
  withConfig(config.command('check').description('report every fault of the configuration')).action(
    does(async (options: { config?: string }) => (await import('./config.ts')).checkConfig(options)),
  );
  config
    .command('schema')
    .description('print the JSON schema of the configuration file, for editors')
    .action(does(async () => (await import('./config.ts')).printSchema()));
  completionCommand(parley, does);
  return parley;
}

function manifestCommand(manifest: Command, does: Does): void {
  manifest
    .description('print what a chat platform must know of the app')
    .argument('<channel>', 'slack or teams')
    .option('--out <file>', 'write the app for Teams, with its icons, into this ZIP file')
    .option('--app-version <version>', 'version of the app for Teams (default: that of Parley)')
    .action(
      does(async (channel: string, options: ManifestOptions) =>
        (await import('./manifest.ts')).manifest(channel, options),
      ),
    );
}

/** Its own tree of commands is loaded only when it is asked for. */
function platformCommand(parley: Command, does: Does): void {
  parley
    .command('platform')
    .description('call any operation of the agent platform')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[arguments...]')
    .action(does(async (args: readonly string[]) => (await import('./platform/program.ts')).platform(args)));
}

function completionCommand(parley: Command, does: Does): void {
  parley
    .command('completion')
    .description('print the script that completes commands in bash, zsh or fish')
    .argument('<shell>')
    .action(
      does(async (shell: string) => {
        const { completionFor } = await import('./completion.ts');
        const { platformCommand: tree } = await import('./platform/program.ts');
        console.log(completionFor(shell, [parley, tree(async () => undefined)]));
        return 0;
      }),
    );
}
