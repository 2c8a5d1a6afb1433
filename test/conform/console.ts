/** The console as a channel that `parley conform` can check: `parley conform test/conform/console.ts`. */

import { webConsole } from '../../adapters/console/channel.ts';
import type { MessageView, ReplyView, ThreadPage } from '../../adapters/console/wire.ts';
import type { Channel, OpenRig, RigPress, RigQuestion } from '../../src/kit/package.ts';

export const channel = (): Channel => webConsole;

const ROOM = 'general';

const people = ['ada', 'ben', 'eve'].map((id) => ({ id, name: id, title: 'Tester' }));

type Pressed = Pick<RigPress, 'action' | 'detail'>;

/** Returns the request that the page sends for a press: the last part of the path, and the body. */
function requestOf({ action, detail }: Pressed, nonce: string): readonly [string, object] {
  switch (action) {
    case 'show':
      return ['show', { edition: Number(detail), nonce }];
    case 'suggestion':
      return ['suggest', { text: detail, nonce }];
    case 'agent':
      return ['ask', { agent: detail, nonce }];
    case 'mine':
      return ['ask-me', { nonce }];
    case 'feedback':
      return ['feedback', { verdict: detail }];
    default:
      return [action, {}];
  }
}

interface Said {
  /** The message as the console stored it; absent if it was refused. */
  readonly view?: MessageView;
  readonly body: object;
  readonly told: readonly string[];
}

export const conform: OpenRig = async (_kit, { url }) => {
  const roots = new Map<string, string>();
  const said = new Map<string, Said>();
  let nonces = 0;
  const call = (path: string, body?: object): Promise<Response> =>
    fetch(`${url}/console/${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
  const send = async ({ key, thread }: RigQuestion, body: object) => {
    const response = await call(`rooms/${ROOM}/messages`, body);
    const text = await response.text();
    if (!response.ok) {
      said.set(key, { body, told: [text] });
      return { acknowledged: false };
    }
    const view = JSON.parse(text) as MessageView;
    roots.set(thread, view.thread);
    said.set(key, { body, view, told: [] });
    return { acknowledged: true };
  };
  const saidOf = ({ key }: RigQuestion): Said => {
    const found = said.get(key);
    if (found === undefined) throw new Error(`${key} was never asked.`);
    return found;
  };
  const change = async (question: RigQuestion, act: 'edit' | 'delete', body: object) => {
    const { view } = saidOf(question);
    const response = await call(`messages/${view?.id}/${act}`, { as: question.person, ...body });
    return { acknowledged: response.ok };
  };
  const threadOf = async (question: RigQuestion): Promise<readonly MessageView[]> => {
    const { view } = saidOf(question);
    const response = await call(`rooms/${ROOM}/threads/${view?.thread}`);
    return response.ok ? ((await response.json()) as ThreadPage).messages : [];
  };
  const replyOf = async (question: RigQuestion): Promise<ReplyView | undefined> => {
    const messages = await threadOf(question);
    const { view } = saidOf(question);
    return messages.find(({ reply }) => reply !== undefined && reply.question === view?.id)?.reply;
  };
  return {
    settings: { people },
    say: (question) => {
      const { thread, person, text } = question;
      const root = roots.get(thread);
      const body = { as: person, text: `@knowledge ${text}`, files: [], nonce: `n${++nonces}` };
      return send(question, { ...body, ...(root !== undefined && { thread: root }) });
    },
    repeat: (question) => send(question, saidOf(question).body),
    edit: (question, text) => change(question, 'edit', { text: `@knowledge ${text}` }),
    remove: (question) => change(question, 'delete', {}),
    showsMarkdown: true,
    seen: async (question) => [JSON.stringify(await replyOf(question))],
    async shown(question) {
      const reply = await replyOf(question);
      return reply === undefined ? [] : [reply.text];
    },
    async told(question) {
      const notes = (await threadOf(question)).filter(
        ({ author, reply }) => author.kind === 'agent' && !reply,
      );
      return [...saidOf(question).told, ...notes.map(({ text }) => text)];
    },
    actions: ['stop', 'retry', 'regenerate', 'show', 'suggestion', 'agent', 'mine', 'feedback'],
    async press({ question, by, ...pressed }) {
      const reply = await replyOf(question);
      const [path, body] = requestOf(pressed, `n${++nonces}`);
      const response = await call(`replies/${reply?.turn}/${path}`, { as: by, ...body });
      return response.text();
    },
    close: () => undefined,
  };
};
