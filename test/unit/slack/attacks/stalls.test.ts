/**
 * Tests attack S22 through content: no message of a person and no answer of an agent may block the process for other
 * people.
 */

import { expect, test } from 'vitest';
import {
  mentioned,
  mentions,
  otherIn,
  withNames,
  withoutMention,
} from '../../../../adapters/slack/inbound/address.ts';
import { messageMarkdown } from '../../../../adapters/slack/inbound/message-text.ts';
import { readCommand } from '../../../../adapters/slack/interactions/command.ts';
import { bodyBlocks } from '../../../../adapters/slack/render/body.ts';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { readAgent } from '../../../../src/kit/named-agent.ts';
import { cpuMs } from '../../../fakes/cost.ts';

const { markdown } = slackMarkdown;

/** Twice the maximum length of a message in Slack (40,000 characters). */
const CHARS = 80_000;
/**
 * Maximum CPU time in milliseconds: far more than needed, and far less than a pattern that backtracks at every
 * character would take.
 */
const AT_MOST_MS = 3_000;
const BOT = 'U0BOT';

const units = [
  ...['*', '*a', 'a* ', '~', '~a', '_a_', '`', '`a', '```', '```\n'],
  ...['<', '<@', '<@U1|', '<@U0BOT', '<@U0BOT> ,', '<#C1|', '<http://a|', '>', '> ', '&lt;', '&#'],
  ...['[', ']', '[a](', '](', '![', '[`', '[a](b "', '\\', '(', '|', '|-', '|-|\n'],
  ...[' ', '\t', '\n', '\n ', ' \n', '- ', '1. ', '@', 'a.', '.', 'a:', '\u0000', '\ud83d', '\u202e'],
];

const said = (text: string, blocks: readonly unknown[]) => ({
  conversation: 'C1',
  ts: '1.2',
  text,
  blocks,
  attachments: [],
  files: [],
});

const rich = (type: string, text: string) => ({
  type: 'rich_text',
  elements: [{ type, elements: [{ type: 'text', text, style: { bold: true } }] }],
});

const works: Readonly<Record<string, (text: string) => unknown>> = {
  'an older message': (text) => messageMarkdown(said(text, [])),
  'a message': (text) => messageMarkdown(said('', [rich('rich_text_section', text)])),
  'a quote': (text) => messageMarkdown(said('', [rich('rich_text_quote', text)])),
  'its address': (text) => [
    withoutMention(text, BOT),
    mentions(text, BOT),
    otherIn([text], BOT),
    readAgent(text, ['a']),
    readCommand(text, ['a']),
    mentioned(text),
    withNames(text, () => 'name'),
  ],
  'an answer': (text) => markdown(text),
  'a message of an answer': (text) =>
    bodyBlocks(
      {
        source: text.slice(0, 12_000),
        begin: { at: 0, fresh: true },
        to: 12_000,
        growing: true,
        numbers: new Map(),
      },
      true,
    ),
};

test.each(Object.entries(works))('S22: %s of any repeated text ends in time', (_, work) => {
  const slow: string[] = [];
  for (const unit of units) {
    for (const tail of ['', 'x']) {
      const text = unit.repeat(CHARS / unit.length) + tail;
      const run = () => cpuMs(() => work(text));
      // On a busy machine, the same work takes several times as much CPU time, so only the best of three runs counts.
      const took = [run, run].reduce(
        (best, again) => (best > AT_MOST_MS ? Math.min(best, again()) : best),
        run(),
      );
      if (took > AT_MOST_MS) slow.push(`${JSON.stringify(unit + tail)}: ${Math.round(took)} ms`);
    }
  }
  expect(slow).toEqual([]);
});
