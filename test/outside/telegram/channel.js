/** Telegram's Bot API (https://core.telegram.org/bots/api): messages of 4,096 characters that the bot can edit. */

/** @param {import('parley/kit').Kit} kit */
export const channel = (kit) =>
  kit.defineChannel({
    api: 1,
    name: 'telegram',
    title: 'Telegram',
    on: 'when-configured',
    page: 'README.md',
    settings: (environment) =>
      kit.z.strictObject({
        token: kit.secretSetting(environment, 'Token of the bot'),
        secret: kit.secretSetting(environment, 'Secret that Telegram sends with each update'),
        username: kit.z.string().describe('Username of the bot, without @'),
        api: kit.z.url().default('https://api.telegram.org'),
      }),
    variables: {
      TELEGRAM_TOKEN: { setting: 'token', kind: 'secret' },
      TELEGRAM_SECRET: { setting: 'secret', kind: 'secret' },
    },
    announce: ({ username }) => `on, as @${username}`,
    create: async (settings, { publicUrl }) => createAdapter(settings, publicUrl, kit),
  });

function createAdapter({ token, secret, username, api }, publicUrl, kit) {
  let host;
  let presses;
  const call = async (method, body, signal) => {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal };
    const response = await fetch(`${api}/bot${token.reveal()}/${method}`, request);
    return response.json();
  };
  const show = async (method, body, signal) => {
    try {
      return outcomeOf(await call(method, body, signal));
    } catch {
      signal.throwIfAborted();
      return { kind: 'unknown' };
    }
  };

  const take = async ({ message, edited_message: edited, callback_query: query }) => {
    if (query !== undefined) return press(query);
    const asked = questionOf(message ?? edited);
    if (asked === undefined) return;
    const told = await presses.take(edited ? { kind: 'edit', message: asked.message } : asked);
    if (told !== '') await call('sendMessage', { chat_id: asked.message.thread.key, text: told });
  };
  const press = async ({ id, from, message, data }) => {
    const [turn, word] = data.split(':');
    const pressed = { word, turn, thread: threadOf(message.chat), by: personOf(from), key: id };
    const told = await presses.press(pressed);
    await call('answerCallbackQuery', { callback_query_id: id, text: told.slice(0, 200) });
  };
  const questionOf = ({ message_id: id, chat, from, text = '', date, edit_date: revision = 0 }) => {
    const mention = `@${username}`;
    if (from.is_bot || (chat.type !== 'private' && !text.includes(mention))) return undefined;
    return kit.question({
      ...{ id: `${chat.id}/${id}`, thread: threadOf(chat), sender: personOf(from), revision },
      ...{ text: text.replace(mention, '').trim(), sentAt: date * 1_000 },
    });
  };

  return {
    name: 'telegram',
    // "Avoid sending more than one message per second in one chat" (https://core.telegram.org/bots/faq).
    limits: { message: { gapMs: 1_000, perRoom: { perSecond: 1, burst: 3 } } },
    abilities: {},
    async start(given) {
      host = given;
      presses = kit.createPresses('Telegram', host);
      const read = kit.createBodyReader(host.clock);
      host.mount('/telegram', async (request, response) => {
        const isKnown = kit.isSameSecret(request.headers['x-telegram-bot-api-secret-token'], secret.reveal());
        if (!isKnown) return void response.writeHead(401).end();
        const { bytes } = await read(request);
        await take(JSON.parse(Buffer.from(bytes ?? []).toString()));
        response.end();
      });
      await call('setWebhook', { url: `${publicUrl}/telegram`, secret_token: secret.reveal() });
    },
    async stop() {},
    writer(turn) {
      const { thread } = turn.message;
      const chat_id = thread.key;
      const bodyOf = ({ text, buttons, document }) => {
        const button = ({ label, word }) => [{ text: label, callback_data: `${document.turn}:${word}` }];
        const markup = { reply_markup: { inline_keyboard: buttons.map(button) } };
        return { chat_id, text, link_preview_options: { is_disabled: true }, ...markup };
      };
      const writer = kit.messageWriter({
        ...{ turn, limit: 4_096, family: 'message' },
        linkOf: (source, of) => host.sourceLink(source, { turn: of, thread }),
        // A name behind an @ would notify the person.
        finish: (text) => text.replaceAll('@', '@\u2060'),
        post: (message, signal) => show('sendMessage', bodyOf(message), signal),
        edit: (id, message, signal) =>
          show('editMessageText', { message_id: Number(id), ...bodyOf(message) }, signal),
        remove: (id, signal) => show('deleteMessage', { chat_id, message_id: Number(id) }, signal),
      });
      return kit.withEvents(turn, writer, [presses], host.clock);
    },
    openFile: async () =>
      Promise.reject(new kit.BridgeError('image-refused', 'This channel reads no files.')),
  };
}

const threadOf = ({ id, type }) => {
  const kind = type === 'private' ? 'direct' : 'group';
  return { channel: 'telegram', tenant: 'telegram', room: `${id}`, key: `${id}`, kind };
};
const personOf = ({ id, first_name: name }) => ({ id: `${id}`, name, standing: 'member' });

function outcomeOf({ ok, result, error_code: code, description = '', parameters }) {
  if (ok) return { kind: 'done', ...(result.message_id && { id: `${result.message_id}` }) };
  if (description.includes('message is not modified')) return { kind: 'done' };
  if (code === 429) return { kind: 'refused', why: 'rate', retryAfterMs: parameters.retry_after * 1_000 };
  if (code === 403 || description.includes('not found')) return { kind: 'refused', why: 'gone' };
  return code === 400 ? { kind: 'refused', why: 'invalid' } : { kind: 'unknown' };
}
