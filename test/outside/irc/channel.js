/** IRC: a chat that keeps what it showed. People address the bot by its nickname, as in `bot: How long?`. */

import { connect } from 'node:net';

/** Maximum bytes of a text: a line has 512 bytes (RFC 2812, section 2.3), of which the server needs some for the sender. */
const LINE_BYTES = 400;
const AGAIN_MS = 1_000;

/** @param {import('parley/kit').Kit} kit */
export const channel = (kit) =>
  kit.defineChannel({
    api: 1,
    name: 'irc',
    title: 'IRC',
    on: 'when-configured',
    page: 'README.md',
    settings: () =>
      kit.z.strictObject({
        host: kit.z.string(),
        port: kit.z.number().default(6667),
        nick: kit.z.string().default('parley'),
        rooms: kit.z.array(kit.z.string()).describe('Rooms to join, such as #help'),
      }),
    variables: {},
    announce: ({ host, nick }) => `on, as ${nick} at ${host}`,
    create: async (settings) => createAdapter(settings, kit),
  });

function createAdapter({ host: server, port, nick, rooms }, kit) {
  let host;
  let presses;
  let socket;
  let isOpen = false;
  let isStopped = false;
  /** Resolvers of sent lines, by the token of the PING that follows the line: the server answers in order. */
  const waiting = new Map();
  let tokens = 0;

  const write = (...lines) => socket.write(lines.map((line) => `${line}\r\n`).join(''));
  /** Sends a line. A PING behind it shows that the server has read the line. */
  const send = (to, text, signal) => {
    if (!isOpen) return { kind: 'refused', why: 'busy', retryAfterMs: AGAIN_MS };
    tokens += 1;
    const token = `t${tokens}`;
    const { promise, resolve } = Promise.withResolvers();
    waiting.set(token, { resolve, to });
    signal.addEventListener('abort', () => resolve({ kind: 'unknown' }), { once: true });
    write(`PRIVMSG ${to} :${text}`, `PING ${token}`);
    return promise.finally(() => waiting.delete(token));
  };
  const tell = async (to, text) => {
    const permit = await host.permit(
      { family: 'send', tenant: server, room: to },
      10_000,
      AbortSignal.timeout(10_000),
    );
    for (const line of permit ? kit.plainLines(text, LINE_BYTES, Buffer.byteLength) : [])
      write(`NOTICE ${to} :${line}`);
    permit?.answered();
  };

  const take = async (from, to, said) => {
    const isDirect = to === nick;
    const [, text] = isDirect ? [to, said] : (new RegExp(`^@?${nick}[:,]?\\s+(.+)$`, 'is').exec(said) ?? []);
    if (text === undefined) return;
    const room = isDirect ? from : to;
    const thread = { channel: 'irc', tenant: server, room, key: room, kind: isDirect ? 'direct' : 'room' };
    // Anyone may take a nickname, so nothing proves who writes.
    const sender = { id: from, name: from, standing: 'unproven' };
    const told = await presses.take(kit.question({ id: crypto.randomUUID(), thread, sender, text }));
    if (told !== '') await tell(room, told);
  };
  const read = (line) => {
    const [, from = '', command, rest = ''] = /^(?::([^ !]+)\S* )?(\S+) ?(.*)$/.exec(line) ?? [];
    const [first = '', ...words] = rest.split(' ');
    if (command === 'PING') write(`PONG ${rest}`);
    if (command === '001') write(...rooms.map((room) => `JOIN ${room}`), 'PING ready');
    if (command === 'PONG' && words.at(-1)?.replace(/^:/, '') === 'ready') isOpen = true;
    if (command === 'PONG') waiting.get(words.at(-1)?.replace(/^:/, ''))?.resolve({ kind: 'done' });
    // 401, 403, 404, 442: there is no such person or room, or the bot may not write there.
    if (['401', '403', '404', '442'].includes(command))
      for (const each of waiting.values())
        if (each.to === words[0]) each.resolve({ kind: 'refused', why: 'gone' });
    if (command === 'PRIVMSG' && from !== nick)
      take(from, first, words.join(' ').replace(/^:/, '')).catch(async (err) => {
        host.log.warn({ err }, 'a message from IRC could not be passed on');
        await tell(
          first === nick ? from : first,
          err.tellUser ?? 'Your question was not stored. Please send it again.',
        );
      });
  };
  const open = () => {
    let rest = '';
    socket = connect(port, server).setEncoding('utf8').setKeepAlive(true);
    write(`NICK ${nick}`, `USER ${nick} 0 * :Parley`);
    kit.listen(socket, 'data', (text) => {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) read(line);
    });
    kit.listen(socket, 'error', (err) => host.log.warn({ err }, 'the connection to IRC failed'));
    kit.listen(socket, 'close', async () => {
      isOpen = false;
      for (const { resolve } of waiting.values()) resolve({ kind: 'unknown' });
      await host.clock.wait(AGAIN_MS);
      if (!isStopped) open();
    });
  };

  return {
    name: 'irc',
    limits: { send: { gapMs: 0, perRoom: { perSecond: 4, burst: 20 } } },
    abilities: {},
    async start(given) {
      host = given;
      presses = kit.createPresses('IRC', host);
      open();
      while (!isOpen) await host.clock.wait(20);
    },
    async stop() {
      isStopped = true;
      if (isOpen) write('QUIT');
      socket?.destroySoon();
    },
    writer(turn) {
      const { thread } = turn.message;
      const writer = kit.lineWriter({
        turn,
        linkOf: (source, of) => host.sourceLink(source, { turn: of, thread }),
        split: (markdown) => kit.plainLines(markdown, LINE_BYTES, Buffer.byteLength),
        send: (line, signal) => send(thread.room, line, signal),
      });
      return kit.withEvents(turn, writer, [presses], host.clock);
    },
    openFile: async () => {
      throw new kit.BridgeError('image-refused', 'IRC has no files.');
    },
  };
}
