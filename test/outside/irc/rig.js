/** Runs ngircd, and acts for the people in its rooms. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/** A port that is free now. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A person in the chat, with the lines that they read. */
async function enter(nick, port) {
  const lines = [];
  for (let tries = 0; ; tries += 1) {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (!isOpen && tries === 100) throw new Error('ngircd does not start.');
    if (!isOpen) await new Promise((resolve) => setTimeout(resolve, 50));
    if (!isOpen) continue;
    let rest = '';
    socket.on('error', () => undefined);
    socket.on('data', (text) => {
      const all = (rest + text).split('\r\n');
      rest = all.pop();
      for (const line of all) {
        if (line.startsWith('PING')) socket.write(`PONG ${line.slice(5)}\r\n`);
        lines.push(line);
      }
    });
    const write = (line) => socket.write(`${line}\r\n`);
    const seen = async (text) => {
      while (!lines.some((line) => line.includes(text)))
        await new Promise((resolve) => setTimeout(resolve, 10));
    };
    write(`NICK ${nick}`);
    write(`USER ${nick} 0 * :${nick}`);
    await seen(' 001 ');
    return { lines, write, seen, close: () => socket.destroy() };
  }
}

/** @type {import('parley/kit').OpenRig} */
export async function conform(_kit, { folder }) {
  const port = await freePort();
  const file = join(folder, 'ngircd.conf');
  writeFileSync(
    file,
    `[Global]\nName=irc.test\nInfo=IRC\nListen=127.0.0.1\nPorts=${port}\nServerUID=0\nServerGID=0\nMotdPhrase=Hello\n[Limits]\nMaxConnectionsIP=0\nMaxPenaltyTime=0\nMaxJoins=0\nMaxNickLength=20\n[Options]\nDNS=no\nIdent=no\nPAM=no\nSyslogFacility=local1\n`,
  );
  const server = spawn('ngircd', ['-n', '-f', file], { stdio: 'ignore' });
  const people = new Map();
  for (const nick of ['ada', 'ben', 'eve']) people.set(nick, await enter(nick, port));
  const rooms = new Map();
  /** Each label of a thread gets a room of its own, which the bot joins when it starts or is invited. */
  const roomOf = async (thread) => {
    const known = rooms.get(thread) ?? `#r${rooms.size}`;
    if (rooms.has(thread)) return known;
    if (rooms.size === ROOMS) throw new Error('The rig has no room left.');
    rooms.set(thread, known);
    for (const person of people.values()) {
      person.write(`JOIN ${known}`);
      await person.seen(` 366 `);
      await person.seen(`JOIN :${known}`);
    }
    return known;
  };
  const saidIn = (room) =>
    people
      .get('ben')
      .lines.map((line) => /^:parley!\S* (PRIVMSG|NOTICE) (\S+) :(.*)$/.exec(line))
      .filter((found) => found?.[2] === room);
  const texts =
    (kind) =>
    async ({ thread }) => {
      const room = await roomOf(thread);
      // The server answers in order, so everything that was said before has arrived then.
      pings += 1;
      const token = `p${pings}`;
      people.get('ben').write(`PING ${token}`);
      await people.get('ben').seen(`PONG irc.test :${token}`);
      return saidIn(room).flatMap(([, command, , text]) => (command === kind ? [text] : []));
    };
  let pings = 0;
  return {
    settings: { host: '127.0.0.1', port, rooms: Array.from({ length: ROOMS }, (_, at) => `#r${at}`) },
    async say({ thread, person, text }) {
      const room = await roomOf(thread);
      people.get(person).write(`PRIVMSG ${room} :parley: ${text}`);
      return {};
    },
    shown: texts('PRIVMSG'),
    seen: texts('PRIVMSG'),
    told: texts('NOTICE'),
    actions: ['retry', 'regenerate', 'suggestion'],
    // IRC has no buttons: a person sends a word.
    async press({ question, action, by }) {
      const room = await roomOf(question.thread);
      const notices = () => saidIn(room).filter(([, command]) => command === 'NOTICE');
      const before = notices().length;
      people.get(by).write(`PRIVMSG ${room} :parley: ${action === 'suggestion' ? '1' : action}`);
      await new Promise((resolve) => setTimeout(resolve, TOLD_MS));
      return notices()
        .slice(before)
        .map(([, , , text]) => text)
        .join(' ');
    },
    blind: true,
    keepsWhatItShowed: true,
    async close() {
      for (const person of people.values()) person.close();
      server.kill();
      await new Promise((resolve) => server.once('exit', resolve));
    },
  };
}

/** Time in which a sentence for a person arrives, in milliseconds. */
const TOLD_MS = 300;
/** Number of rooms that the bot joins. Each check begins new threads. */
const ROOMS = 900;
