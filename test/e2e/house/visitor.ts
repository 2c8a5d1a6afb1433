/** A person who has signed in to the console with the OpenID provider, in a browser of their own. */

import { expect } from 'vitest';
import type { ConsoleState, MessageView, ReplyView, RoomPage } from '../../../adapters/console/wire.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import type { RealProvider } from '../../fakes/oidc/provider.ts';
import { json } from '../../unit/console/rig.ts';

const ANSWERED_MS = 90_000;

let nonces = 0;

export class Visitor {
  readonly browser = new Browser();
  /** Everything that the bridge sent to the person. */
  readonly received: string[] = [];
  readonly url: string;
  me = '';

  /** @param url the console's address */
  constructor(url: string) {
    this.url = url;
  }

  static async signIn(url: string, provider: RealProvider, account: string): Promise<Visitor> {
    provider.account = account;
    const visitor = new Visitor(url);
    await visitor.browser.follow(`${url}/console/sign-in/start`, (next) => next === `${url}/`);
    const state = await visitor.read<ConsoleState>('state');
    visitor.me = state.me ?? '';
    expect(visitor.me).not.toBe('');
    return visitor;
  }

  async visit(path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
    const { status, text } = await this.browser.visit(`${this.url}/console/${path}`, init);
    this.received.push(text);
    return { status, text };
  }

  async read<T>(path: string): Promise<T> {
    return JSON.parse((await this.visit(path)).text) as T;
  }

  post(path: string, body: object): Promise<{ status: number; text: string }> {
    nonces += 1;
    return this.visit(path, json({ as: this.me, nonce: `n${nonces}`, ...body }));
  }

  async ask(room: string, text: string, members: object = {}): Promise<MessageView> {
    const posted = await this.post(`rooms/${encodeURIComponent(room)}/messages`, {
      ...{ text, files: [], ...members },
    });
    return JSON.parse(posted.text) as MessageView;
  }

  /** Resolves with the answer to a question once the answer has ended. */
  async answerTo(question: MessageView): Promise<ReplyView> {
    const path = `rooms/${encodeURIComponent(question.room)}/threads/${question.thread}`;
    const find = async () =>
      (await this.read<RoomPage>(path)).messages.find(({ reply }) => reply?.question === question.id)?.reply;
    await expect
      .poll(async () => (await find())?.state, { timeout: ANSWERED_MS, interval: 50 })
      .toMatch(/^(?!waiting|thinking|writing)/);
    const reply = await find();
    if (reply === undefined) throw new Error('The answer is gone.');
    return reply;
  }

  /** Collects the person's events until the function that it returns is called. */
  async follow(since: number): Promise<() => Promise<void>> {
    const ended = new AbortController();
    const headers = { cookie: this.browser.cookies(new URL(this.url).host) };
    const response = await fetch(`${this.url}/console/events?since=${since}`, {
      headers,
      signal: ended.signal,
    });
    expect(response.status).toBe(200);
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) this.received.push(decoder.decode(bytes));
    })().catch(() => undefined);
    return async () => {
      ended.abort();
      await reading;
    };
  }
}

/** Returns the id of the room in which the person asks the agent in private. */
export const directRoom = ({ me }: Visitor, agent: string): string => `direct~${me}~${agent}`;
