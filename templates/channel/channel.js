/** The channel __Title__: its settings, the events that it takes from the chat, and its replies. */

import { createApi } from './api.js';
import { createWriter } from './writer.js';

/** @import { AdapterHost, ChannelAdapter, Intake, Kit, Message, Press } from 'parley/kit' */

/**
 * @typedef {object} ChatEvent
 * An event that the chat sends. `id` is the id of the message; `key` is unique for each event.
 * @property {'message' | 'edited' | 'deleted' | 'press'} type
 * @property {string} key
 * @property {string} id
 * @property {string} thread
 * @property {{ id: string, name: string, isApp: boolean }} person
 * @property {string} text
 * @property {number} revision 0 for a new message, plus one for each edit
 * @property {number} sentAt milliseconds since the epoch
 * @property {{ action: string, detail: string, turn: string }} [button] the pressed button
 */

/** Path under which the chat reaches the channel. */
const PATH = '/__name__';

/** @param {Kit} kit */
export const channel = (kit) =>
  kit.defineChannel({
    api: 1,
    name: '__name__',
    title: '__Title__',
    on: 'when-configured',
    page: 'README.md',
    settings: (environment) =>
      kit.z.strictObject({
        url: kit.z.url().describe('Address of the chat'),
        token: kit.secretSetting(environment, 'Secret that the chat and the channel send each other'),
      }),
    variables: { __NAME___TOKEN: { setting: 'token', kind: 'secret' } },
    announce: ({ url }) => `on, for ${url}`,
    create: async ({ url, token }) => createAdapter({ url, secret: token.reveal() }, kit),
  });

/**
 * @param {{ url: string, secret: string }} settings
 * @param {Kit} kit
 * @returns {ChannelAdapter}
 */
function createAdapter({ url, secret }, kit) {
  const api = createApi(url, secret);
  return {
    name: '__name__',
    // The rate limits of the chat. __Title__ allows 120 changes of messages in a minute.
    limits: { put: { perMinute: 120, gapMs: 500 } },
    abilities: {},
    async start(host) {
      const read = kit.createBodyReader(host.clock);
      host.mount(PATH, async (request, response) => {
        const answer = (/** @type {number} */ status, told = '') =>
          void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(told);
        if (!kit.isSameSecret(request.headers.authorization, `Bearer ${secret}`)) return answer(401);
        const body = await read(request);
        const event = eventIn('bytes' in body ? body.bytes : undefined, kit);
        if (event === undefined) return answer(400);
        // The chat sends the event again unless the answer is 200. So answer only after the bridge has stored it.
        answer(200, await take(event, host, kit));
      });
    },
    async stop() {},
    writer: (turn) => createWriter(turn, api, kit),
    async openFile() {
      throw new kit.BridgeError('image-refused', '__Title__ has no files.');
    },
  };
}

/**
 * Passes an event to the bridge. Resolves with the sentence that the person must read, or with an empty text.
 * @param {ChatEvent} event
 * @param {AdapterHost} host
 * @param {Kit} kit
 */
async function take(event, host, kit) {
  if (event.person.isApp) return '';
  if (event.type === 'press') return pressed(event, host, kit);
  const kept = await host.intake(intakeOf(event));
  return kept.kind === 'refused' ? kept.tellUser : '';
}

/**
 * @param {ChatEvent} event
 * @returns {Intake}
 */
export function intakeOf(event) {
  const message = messageOf(event);
  if (event.type === 'deleted')
    return { kind: 'delete', thread: message.thread, message: message.id, by: message.sender };
  if (event.type === 'edited') return { kind: 'edit', message };
  return { kind: 'ask', origin: { kind: 'message', key: event.id, revision: 0 }, message };
}

/**
 * @param {ChatEvent} event
 * @returns {Message}
 */
function messageOf({ id, thread, person, text, revision, sentAt }) {
  return {
    id,
    thread: { channel: '__name__', tenant: 'all', room: 'main', key: thread, kind: 'room' },
    sender: { id: person.id, name: person.name, standing: 'member' },
    text,
    quoted: [],
    files: [],
    sentAt,
    revision,
  };
}

/**
 * Handles a press on a button of a reply. The kit decides who may press, and what a press does.
 * @param {ChatEvent} event
 * @param {AdapterHost} host
 * @param {Kit} kit
 */
async function pressed(event, host, kit) {
  const { action = '', detail = '', turn: id = '' } = event.button ?? {};
  if (!kit.isActionName(action)) return '';
  const turn = kit.turnId(id);
  const message = messageOf({ ...event, text: '' });
  /** @type {Press} */
  const press = { action, detail, turn, thread: message.thread, key: event.key };
  const { sentence } = await kit.press(press, {
    channel: '__Title__',
    host,
    // The chat sends a press only for a message of the thread that it names.
    isHere: true,
    person: async () => message.sender,
    reply: () => host.reply(turn, message.thread),
    ask: ({ origin, by, text, agent }) =>
      host.intake({
        kind: 'ask',
        origin,
        message: { ...message, sender: by, text, ...(agent && { agent }) },
      }),
  });
  return sentence;
}

/**
 * Returns the event in the body of a request, or undefined if it is not valid.
 * @param {Uint8Array | undefined} bytes
 * @param {Kit} kit
 * @returns {ChatEvent | undefined}
 */
function eventIn(bytes, { z }) {
  const button = z.object({ action: z.string(), detail: z.string(), turn: z.string() });
  const event = z.object({
    type: z.enum(['message', 'edited', 'deleted', 'press']),
    ...{ key: z.string().min(1), id: z.string().min(1), thread: z.string().min(1), text: z.string() },
    person: z.object({ id: z.string().min(1), name: z.string(), isApp: z.boolean() }),
    ...{ revision: z.number().int().min(0), sentAt: z.number() },
    button: button.optional(),
  });
  try {
    const { data } = event.safeParse(JSON.parse(Buffer.from(bytes ?? []).toString()));
    return /** @type {ChatEvent | undefined} */ (data);
  } catch {
    return undefined;
  }
}
