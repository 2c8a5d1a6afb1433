/**
 * A channel of the fake Slack in the terminal, to try Parley without a workspace. Each line of standard input becomes a
 * message with a mention of the app; a line that begins with `>` becomes a reply in the last thread, and one that begins
 * with `!` a direct message. Messages of the app are printed once they have stopped growing.
 *
 *     npm run fake-slack -- --port 4010
 */

import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type FakeSlack, startFakeSlack, visibleText } from './index.ts';

/** Interval between checks of the channel, in milliseconds. */
const LOOK_EVERY_MS = 250;
/** Milliseconds without a change after which a message is printed. */
const QUIET_MS = 1_500;
/** Exit code for a port that is taken (EX_UNAVAILABLE of sysexits). */
const UNAVAILABLE = 69;

const { values } = parseArgs({ options: { port: { type: 'string', default: '4010' } } });
const say = (text: string) => void process.stdout.write(`${text}\n`);

const fake = await startFakeSlack({ port: Number(values.port), deliverTo: 'socket' }).catch(endWithReason);
const workspace = fake.workspace();
const channel = workspace.channel({ name: 'general' });
const person = workspace.person({ name: 'ada' });
const direct = person.dm();
let thread: string | undefined;

say(`The fake Slack listens at ${fake.url}. Start the bridge in a second shell:

export SLACK_API_URL=${fake.apiUrl}
export SLACK_APP_TOKEN=${fake.app.appToken}
export SLACK_BOT_TOKEN=${workspace.token}
npm start

Then write a question here, > and a reply in the last thread, or ! and a direct message. Ctrl-C ends.`);

createInterface({ input: process.stdin }).on('line', (line) => send(line.trim()));
setInterval(watch(fake), LOOK_EVERY_MS);

function send(line: string): void {
  if (line === '') return;
  if (fake.socket.connections === 0) {
    say('No bridge is connected. Start it with the variables above, then write again.');
  } else if (line.startsWith('!')) {
    person.says(direct, line.slice(1).trim());
  } else if (!line.startsWith('>')) {
    thread = person.mentions(channel, line).ts;
  } else if (thread === undefined) {
    say('No thread exists yet. Write a question first.');
  } else {
    person.says(channel, line.slice(1).trim(), { thread });
  }
}

/** Returns a function that prints what has changed since its last call: the connection, and messages of the app. */
function watch({ socket, messages }: FakeSlack): () => void {
  const seen = new Map<string, { text: string; since: number; printed?: string }>();
  let connected = false;
  return () => {
    if (connected !== socket.connections > 0) {
      connected = !connected;
      say(connected ? 'The bridge is connected. Write a question.' : 'The bridge is no longer connected.');
    }
    for (const message of [...messages(channel.id), ...messages(direct.id)].filter(({ app }) => app)) {
      const text = visibleText(message);
      const key = `${message.channel} ${message.ts}`;
      const before = seen.get(key);
      if (before?.text !== text) {
        seen.set(key, { ...before, text, since: Date.now() });
      } else if (before.printed !== text && Date.now() - before.since >= QUIET_MS) {
        say(`\nParley${before.printed === undefined ? '' : ' (edited)'}: ${text}\n`);
        before.printed = text;
      }
    }
  };
}

function endWithReason(thrown: unknown): never {
  if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE')) throw thrown;
  process.stderr.write(`Port ${values.port} is in use. Choose another: npm run fake-slack -- --port 4011\n`);
  process.exit(UNAVAILABLE);
}
