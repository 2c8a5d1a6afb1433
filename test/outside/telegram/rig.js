/**
 * Stands for Telegram's Bot API, and acts for the people in its chats. Each rule names its section of
 * https://core.telegram.org/bots/api; where the text leaves room, the stricter reading applies.
 */

import { createServer } from 'node:http';

const TOKEN = '123456:a-token-for-the-checks';
const SECRET = 'a-secret-for-the-checks';
const NAMES = { ada: 'Ada', ben: 'Ben', eve: 'Eve', twin: 'Ada' };
/** sendMessage: "1-4096 characters after entities parsing". */
const TEXT_CHARS = 4_096;
/** InlineKeyboardButton: "callback_data, 1-64 bytes". answerCallbackQuery: "text, 0-200 characters". */
const DATA_BYTES = 64;
const ANSWER_CHARS = 200;

class Refusal extends Error {
  constructor(code, text, parameters) {
    super(text);
    Object.assign(this, { code, parameters });
  }
}

/** @type {import('parley/kit').OpenRig} */
export async function conform(_kit, { url }) {
  const chats = new Map();
  const asked = new Map();
  const answers = [];
  const state = { fault: undefined, calls: 0, ids: 0, webhook: undefined };
  const nextId = () => {
    state.ids += 1;
    return state.ids;
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

  async function receive(request, response) {
    let body = '';
    for await (const piece of request) body += piece;
    const { fault } = state;
    const isCounted = !/setWebhook|answerCallbackQuery/.test(request.url);
    if (isCounted) Object.assign(state, { fault: undefined, calls: state.calls + 1 });
    if (fault === 'lost' && isCounted) return request.socket.destroy();
    const answer = answerTo(request.url, JSON.parse(body), isCounted ? fault : undefined);
    if (fault === 'hidden' && isCounted) return request.socket.destroy();
    if (fault === 'hang' && isCounted) return undefined;
    response.writeHead(answer.ok ? 200 : answer.error_code, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(answer));
  }
  function answerTo(path, body, fault) {
    try {
      const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
      if (token !== TOKEN) throw new Refusal(401, 'Unauthorized');
      if (fault === 'rate') throw new Refusal(429, 'Too Many Requests: retry after 3', { retry_after: 3 });
      if (fault === 'busy') throw new Refusal(502, 'Bad Gateway');
      if (fault === 'invalid') throw new Refusal(400, "Bad Request: can't parse entities");
      if (fault === 'gone') throw new Refusal(403, 'Forbidden: bot was kicked from the group chat');
      if (methods[method] === undefined) throw new Refusal(404, 'Not Found');
      return { ok: true, result: methods[method](body) };
    } catch (thrown) {
      const { code = 400, message: description, parameters } = thrown;
      return { ok: false, error_code: code, description, ...(parameters && { parameters }) };
    }
  }
  const messagesOf = (chat) => {
    const found = chats.get(`${chat}`);
    if (found === undefined) throw new Refusal(400, 'Bad Request: chat not found');
    return found;
  };
  const check = ({ text = '', reply_markup: markup }) => {
    if (text.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty');
    if (text.length > TEXT_CHARS) throw new Refusal(400, 'Bad Request: message is too long');
    for (const { callback_data: data = '' } of markup?.inline_keyboard.flat() ?? [])
      if (data === '' || Buffer.byteLength(data) > DATA_BYTES)
        throw new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID');
  };
  const methods = {
    setWebhook: ({ url: target, secret_token: secret }) => {
      state.webhook = { target, secret };
      return true;
    },
    sendMessage(body) {
      check(body);
      const messages = messagesOf(body.chat_id);
      const id = nextId();
      messages.set(id, body);
      return { message_id: id };
    },
    // editMessageText fails if neither the text nor the markup differ.
    editMessageText(body) {
      const messages = messagesOf(body.chat_id);
      const now = messages.get(body.message_id);
      if (now === undefined) throw new Refusal(400, 'Bad Request: message to edit not found');
      check(body);
      const content = ({ text, reply_markup: markup }) => JSON.stringify([text, markup]);
      if (content(now) === content(body)) throw new Refusal(400, 'Bad Request: message is not modified');
      messages.set(body.message_id, body);
      return { message_id: body.message_id };
    },
    deleteMessage(body) {
      if (!messagesOf(body.chat_id).delete(body.message_id))
        throw new Refusal(400, 'Bad Request: message to delete not found');
      return true;
    },
    answerCallbackQuery({ text }) {
      if (text.length > ANSWER_CHARS) throw new Refusal(400, 'Bad Request: MESSAGE_TOO_LONG');
      answers.push(text);
      return true;
    },
  };

  const labels = [];
  const groupOf = (thread) => {
    if (!labels.includes(thread)) labels.push(thread);
    const id = -1_000 - labels.indexOf(thread);
    if (!chats.has(`${id}`)) chats.set(`${id}`, new Map());
    return { id, type: 'supergroup' };
  };
  const fromOf = (person) => ({
    id: Object.keys(NAMES).indexOf(person) + 1,
    is_bot: false,
    first_name: NAMES[person],
  });
  /** Sends an update with the secret of setWebhook. Telegram repeats it until the response is 2xx. */
  const send = async (update) => {
    const headers = {
      'content-type': 'application/json',
      'x-telegram-bot-api-secret-token': state.webhook.secret,
    };
    const body = JSON.stringify({ update_id: nextId(), ...update });
    const response = await fetch(`${state.webhook.target}`, { method: 'POST', headers, body });
    return { acknowledged: response.ok };
  };
  const messageOf = ({ key, thread, person, text }, more = {}) => {
    if (!asked.has(key)) asked.set(key, nextId());
    const date = Math.floor(Date.now() / 1_000);
    return { message_id: asked.get(key), chat: groupOf(thread), from: fromOf(person), date, text, ...more };
  };
  const say = (question) =>
    send({ message: messageOf({ ...question, text: `@parley_bot ${question.text}` }) });
  const shown = ({ thread }) => [...messagesOf(groupOf(thread).id).values()].map(({ text }) => text);
  const arm = (fault) => () => {
    state.fault = fault;
  };
  const faults = ['lost', 'hidden', 'hang', 'rate', 'busy', 'invalid', 'gone'];
  return {
    settings: {
      token: TOKEN,
      secret: SECRET,
      username: 'parley_bot',
      api: `http://127.0.0.1:${server.address().port}`,
    },
    shared: { publicUrl: url },
    say,
    repeat: say,
    edit: (question, text) =>
      send({
        edited_message: messageOf(
          { ...question, text: `@parley_bot ${text}` },
          { edit_date: Math.floor(Date.now() / 1_000) },
        ),
      }),
    echo: (question) =>
      send({
        message: messageOf(question, {
          from: { id: 9, is_bot: true, first_name: 'Parley' },
          text: `@parley_bot ${question.text}`,
        }),
      }),
    shown,
    seen: shown,
    told: shown,
    // A name behind an @ notifies the person. The text has no entities, and previews are off.
    live: (question) => ({
      mentions: shown(question).flatMap((text) => text.match(/@\w+/g) ?? []),
      images: [],
      links: [],
    }),
    hostile: ['Hello @ada!'],
    namesake: true,
    blind: true,
    retryAfterMs: 3_000,
    actions: ['stop', 'retry', 'regenerate', 'suggestion'],
    async press({ question, action, by }) {
      const chat = groupOf(question.thread);
      const [id, { reply_markup: markup }] = [...messagesOf(chat.id)].at(-1);
      const word = action === 'suggestion' ? '1' : action;
      const button = markup.inline_keyboard
        .flat()
        .find(({ callback_data: data }) => data.endsWith(`:${word}`));
      const before = answers.length;
      await send({
        callback_query: {
          id: `q${nextId()}`,
          from: fromOf(by),
          message: { message_id: id, chat },
          data: button.callback_data,
        },
      });
      return answers.slice(before).join(' ');
    },
    faults: Object.fromEntries(faults.map((fault) => [fault, arm(fault)])),
    calls: () => state.calls,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
