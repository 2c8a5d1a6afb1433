/**
 * Builds blocks for answers, forms, notes and the app's home, within Slack's limits. Text from people and agents is shown as
 * plain text.
 */

import type {
  Button,
  ContextBlock,
  HeaderBlock,
  HomeView,
  InputBlock,
  KnownBlock,
  ModalView,
  PlainTextInput,
  PlainTextOption,
  SectionBlock,
  StaticSelect,
} from '@slack/types';
import { text as filled, type Plain, plain, safeDestination } from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import type { SlackView } from '../receive/events.ts';
import { inert, plainTextElement } from './escape.ts';

/**
 * Slack's limits, in characters (UTF-16 units) or blocks. https://docs.slack.dev/reference/block-kit,
 * https://docs.slack.dev/surfaces/modals
 */
const MODAL_TITLE = 24;
export const VIEW_BLOCKS = 100;
const METADATA = 3_000;
export const SECTION = 3_000;
const HEADER = 150;
export const BUTTON = 75;
const OPTION_TEXT = 75;
const OPTIONS = 100;
const BUTTON_URL = 3_000;
const LABEL = 200;

/** Returns a paragraph that keeps its line breaks. */
export function paragraph(text: string): SectionBlock {
  const [shown = '–'] = pieces(text, SECTION);
  return { type: 'section', text: { type: 'plain_text', text: shown, emoji: false } };
}

/** Splits a text into pieces of at most `limit` UTF-16 units. Never splits a character; drops blank pieces. */
export function pieces(text: string, limit: number): readonly string[] {
  const found: string[] = [];
  let rest = inert(text);
  while (rest.length > limit) {
    const code = rest.charCodeAt(limit - 1);
    const end = code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
    found.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...found, rest].filter((piece) => piece.trim() !== '');
}

export function header(text: string): HeaderBlock {
  return { type: 'header', text: plainTextElement(text, HEADER) };
}

/** Returns a line in small print. */
export function aside(text: string): ContextBlock {
  return { type: 'context', elements: [plainTextElement(text, SECTION)] };
}

/**
 * Returns a small line in which ids of people and channels become mentions. `mrkdwn` must not contain text from people
 * or agents, because such text could mention anyone.
 */
export function ownLine(mrkdwn: string): ContextBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text: mrkdwn, verbatim: true }] };
}

export function button(
  text: string,
  { id, value, style }: { id: string; value?: string; style?: 'primary' | 'danger' },
): Button {
  return {
    type: 'button',
    action_id: id,
    text: plainTextElement(text, BUTTON),
    ...defined({ value, style }),
  };
}

/**
 * Returns a button that opens the address and whose label shows the host. Returns undefined if the address is not safe.
 */
export function linkButton(id: string, link: string | undefined): Button | undefined {
  const safe = link === undefined ? undefined : safeDestination(link);
  if (safe === undefined || safe.href.length > BUTTON_URL) return undefined;
  return { ...button(`Open (${safe.host})`, { id }), url: safe.href };
}

export function option(text: string, value: string): PlainTextOption & { readonly value: string } {
  return { text: plainTextElement(text, OPTION_TEXT), value };
}

export function select(
  id: string,
  options: readonly ReturnType<typeof option>[],
  placeholder: string,
  initial?: string,
): StaticSelect {
  const offered = options.slice(0, OPTIONS);
  return {
    type: 'static_select',
    action_id: id,
    placeholder: plainTextElement(placeholder, 150),
    options: [...offered],
    ...defined({ initial_option: offered.find(({ value }) => value === initial) }),
  };
}

/** Returns an input of a form. `name` identifies its value in the sent form. */
export function input(name: string, label: string, element: InputBlock['element']): InputBlock {
  return { type: 'input', block_id: name, label: plainTextElement(label, LABEL), element };
}

export function optionalInput(name: string, label: string, element: InputBlock['element']): InputBlock {
  return { ...input(name, label, element), optional: true };
}

/** Returns a text input of several lines; `max` is its limit in characters. */
export function textInput(name: string, max: number, initial?: string): PlainTextInput {
  return {
    type: 'plain_text_input',
    action_id: name,
    multiline: true,
    max_length: max,
    ...defined({ initial_value: initial }),
  };
}

/** Returns what a person entered in one input of a submitted form, as Slack sends it. */
export const fieldIn = ({ values }: SlackView, name: string): Plain => plain(plain(values[name])[name]);

export const writtenIn = (view: SlackView, name: string): string =>
  filled(fieldIn(view, name).value)?.trim() ?? '';

export const chosenIn = (view: SlackView, name: string): string | undefined =>
  filled(plain(fieldIn(view, name).selected_option).value);

interface Form {
  readonly callback: string;
  readonly title: string;
  readonly blocks: readonly KnownBlock[];
  /** Contains ids only, never text that people wrote, because Slack stores metadata in readable form. */
  readonly metadata?: string | undefined;
  readonly submit?: string;
}

export function modal({ callback, title, blocks, metadata, submit }: Form): ModalView {
  return {
    type: 'modal',
    callback_id: callback,
    title: plainTextElement(title, MODAL_TITLE),
    close: plainTextElement(submit === undefined ? 'Close' : 'Cancel', MODAL_TITLE),
    blocks: blocks.slice(0, VIEW_BLOCKS),
    ...(metadata !== undefined && metadata.length <= METADATA && { private_metadata: metadata }),
    ...(submit !== undefined && { submit: plainTextElement(submit, MODAL_TITLE) }),
  };
}

/** Returns a form without inputs that shows a sentence. */
export function notice(title: string, sentence: string): ModalView {
  return modal({ callback: 'notice', title, blocks: [paragraph(sentence)] });
}

export function home(blocks: readonly KnownBlock[]): HomeView {
  return { type: 'home', blocks: blocks.slice(0, VIEW_BLOCKS) };
}
