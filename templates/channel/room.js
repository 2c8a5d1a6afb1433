/**
 * A small chat in memory, which stands for the chat that you want to connect. It shows plain text and buttons, and
 * notifies everybody whose name follows an `@`. Start it with `node room.js`, and write questions.
 */

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline/promises';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */
/** @import { ChatEvent } from './channel.js' */
/** @import { Button } from './api.js' */

/** @typedef {{ id: string, thread: string, text: string, buttons: readonly Button[], isApp: boolean }} Shown */
/** @typedef {'lost' | 'hidden' | 'hang' | 'rate' | 'busy' | 'gone'} RoomFault */

/** Names that notify people if an `@` precedes them, as in `@ada`. */
export const NAMES = ['all', 'ada', 'ben', 'eve'];

export class Room {
  /** @type {Map<string, Shown>} */
  #messages = new Map();
  #server = createServer((request, response) => void this.#receive(request, response));
  #target;
  #secret;
  /** The failure of the next call. @type {RoomFault | undefined} */
  fault;
  /** Number of calls that the room has received. */
  calls = 0;
  /** Called after each change of a message of the app. @type {(message: Shown) => void} */
  onChange = () => {};

  /** @param {{ target: string, secret: string }} options the address to which the room sends events, and the secret */
  constructor({ target, secret }) {
    this.#target = target;
    this.#secret = secret;
  }

  /** Starts the room. Resolves with its address. */
  async listen(port = 0) {
    await new Promise((resolve) => this.#server.listen(port, '127.0.0.1', () => resolve(undefined)));
    return `http://127.0.0.1:${/** @type {AddressInfo} */ (this.#server.address()).port}`;
  }

  /** Returns the messages of a thread, oldest first. @param {string} thread */
  in(thread) {
    return [...this.#messages.values()].filter((message) => message.thread === thread);
  }

  /**
   * Shows the message that a person has written, and sends it to the channel.
   * @param {{ id?: string, thread: string, person: string, text: string, isApp?: boolean }} message
   */
  async say({ id = randomUUID(), thread, person, text, isApp = false }) {
    this.#messages.set(id, { id, thread, text, buttons: [], isApp });
    return this.send(eventOf('message', { id, thread, person, text, isApp }));
  }

  /** @param {string} id @param {string} person @param {string} text */
  async edit(id, person, text) {
    const { thread } = this.#known(id);
    this.#messages.set(id, { ...this.#known(id), text });
    return this.send(eventOf('edited', { id, thread, person, text, revision: 1 }));
  }

  /** @param {string} id @param {string} person */
  async remove(id, person) {
    const { thread } = this.#known(id);
    this.#messages.delete(id);
    return this.send(eventOf('deleted', { id, thread, person }));
  }

  /** @param {string} id the app's message @param {string} person @param {Button} button */
  async press(id, person, button) {
    const { thread } = this.#known(id);
    return this.send(eventOf('press', { id, thread, person, button }));
  }

  /**
   * Sends an event. Resolves with `acknowledged`, and with the sentence that the person reads.
   * @param {ChatEvent} event
   */
  async send(event) {
    const headers = { authorization: `Bearer ${this.#secret}`, 'content-type': 'application/json' };
    const response = await fetch(this.#target, { method: 'POST', headers, body: JSON.stringify(event) });
    const told = await response.text();
    return { acknowledged: response.ok, told: response.ok ? told : '' };
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** @param {string} id */
  #known(id) {
    const message = this.#messages.get(id);
    if (message === undefined) throw new Error(`There is no message ${id}.`);
    return message;
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  async #receive(request, response) {
    let body = '';
    for await (const piece of request) body += piece;
    const { fault } = this;
    this.fault = undefined;
    this.calls += 1;
    if (request.headers.authorization !== `Bearer ${this.#secret}`) return void response.writeHead(401).end();
    if (fault === 'lost') return void request.socket.destroy();
    if (fault === 'rate') return void response.writeHead(429, { 'retry-after': '3' }).end();
    if (fault === 'busy') return void response.writeHead(503).end();
    if (fault === 'gone') return void response.writeHead(410).end();
    const id = decodeURIComponent(request.url?.replace('/messages/', '') ?? '');
    if (request.method === 'DELETE') this.#messages.delete(id);
    else this.#messages.set(id, { id, isApp: true, ...JSON.parse(body) });
    const changed = this.#messages.get(id);
    if (changed !== undefined) this.onChange(changed);
    if (fault === 'hidden') return void request.socket.destroy();
    if (fault !== 'hang') response.end();
  }
}

/**
 * @param {ChatEvent['type']} type
 * @param {{ id: string, thread: string, person: string, text?: string, revision?: number, isApp?: boolean, button?: Button }} of
 * @returns {ChatEvent}
 */
export function eventOf(type, { id, thread, person, text = '', revision = 0, isApp = false, button }) {
  return {
    ...{ type, key: randomUUID(), id, thread, text, revision, sentAt: Date.now() },
    person: { id: person, name: person === 'twin' ? 'ada' : person, isApp },
    ...(button && { button }),
  };
}

if (import.meta.main) {
  const { __NAME___TOKEN: secret = '', PARLEY_URL = 'http://127.0.0.1:3000' } = process.env;
  const room = new Room({ target: `${PARLEY_URL}/__name__`, secret });
  process.stdout.write(`The room listens on ${await room.listen(4_000)}. Write a question.\n`);
  room.onChange = ({ text, buttons }) => {
    const labels = buttons.map(({ label }) => `[${label}]`).join(' ');
    process.stdout.write(`\n${text}\n${labels}\n`);
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { acknowledged, told } = await room.say({ thread: 'main', person: 'ada', text: line });
    if (!acknowledged) process.stdout.write('Parley did not take the message.\n');
    if (told !== '') process.stdout.write(`${told}\n`);
  }
  await room.close();
}
