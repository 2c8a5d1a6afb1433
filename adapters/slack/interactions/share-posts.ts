/** Builds the messages that a share posts. Pure. */

import type { KnownBlock } from '@slack/types';
import {
  type AgentName,
  type NumberedSource,
  type Plain,
  passageText,
  plainText,
} from '../../../src/kit/ladder.ts';
import { defined, type ReplyDocument, sourceTitle } from '../../../src/kit.ts';
import { SHARE_MARK } from '../ids.ts';
import { aside, linkButton, ownLine, paragraph, pieces, SECTION } from '../render/blocks.ts';
import { slackMarkdown } from '../render/emit.ts';
import { asMrkdwn, plainTextElement } from '../render/escape.ts';
import { fallback } from '../render/fallback.ts';
import { actPost, agentLabel, marked, nameOf } from './asking.ts';
import { words } from './words.ts';

/** Maximum number of passages shown for a shared source, best ones first, and maximum characters of its title. */
const PASSAGES = 3;
const TITLE_CHARS = 280;
/** Maximum characters of one message's Markdown. Slack accepts 12,000. */
const MESSAGE_CHARS = 11_000;
/** Maximum messages for one shared answer. The longest answer that the bridge accepts fits into them. */
const MESSAGES = 40;

interface Shared {
  /** Id of the person who shares. */
  readonly by: string;
  readonly agent?: AgentName | undefined;
}

/** One message of a share. */
export interface Post {
  readonly args: Plain;
  /** Text to post if Slack refuses the blocks. */
  readonly simple: string;
}

export function sourcePost({ number, source }: NumberedSource, { by, agent }: Shared): Post {
  const sentence = words.sharedSource(nameOf(by));
  const title = sourceTitle(source, number);
  const open = linkButton('sources:open', source.link);
  const passages = source.fragments
    .slice(0, PASSAGES)
    .flatMap(({ text }) => pieces(passageText(text), SECTION).slice(0, 2));
  const blocks: KnownBlock[] = [
    ownLine(sentence),
    { type: 'section', text: plainTextElement(title, TITLE_CHARS), ...defined({ accessory: open }) },
    ...passages.map(paragraph),
    ...(agent === undefined ? [] : [aside(`${words.fromAnswer(agent)}, source ${number}`)]),
  ];
  const args = { ...actPost(sentence, title), ...SHARE_OPTIONS, blocks };
  return { args, simple: args.text };
}

/** Returns the messages that share a private answer, with the question above the answer. */
export function answerPosts(
  { text, question }: Pick<ReplyDocument, 'text' | 'question'>,
  { by, agent }: Shared,
): readonly Post[] {
  const label = agent && agentLabel(agent);
  const sentence =
    question === undefined ? words.sharedAnswer(nameOf(by), label) : words.asked(nameOf(by), label);
  return slackMarkdown
    .ranges(text, MESSAGE_CHARS)
    .slice(0, MESSAGES)
    .map(({ begin, to }, at) => {
      const raw = text.slice(begin.at, to);
      const body = markdownBlocks(slackMarkdown.rangeText(text, begin, to));
      const simple = asMrkdwn(plainText(raw));
      if (at > 0)
        return { args: { ...SHARE_OPTIONS, text: fallback(raw, words.goesOn), blocks: body }, simple };
      const head = actPost(sentence, question ?? '');
      const args = { ...head, ...SHARE_OPTIONS, blocks: [...head.blocks, ...body] };
      return { args, simple: `${head.text}\n${simple}` };
    });
}

const SHARE_OPTIONS = { unfurl_links: false, unfurl_media: false, metadata: marked(SHARE_MARK) };

function markdownBlocks(text: string): KnownBlock[] {
  return text.trim() === '' ? [paragraph(words.goesOn)] : [{ type: 'markdown', text }];
}
