/**
 * Any text only grows in a stream, and has no effect in Slack (S02: foreign images, S03: mentions, S04: labels and
 * schemes).
 */

import { describe, expect } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { checkGrowth, checkHolding } from '../../reply/markdown/growing-laws.ts';
import { anything, rawBrackets } from '../../reply/markdown/hostile.ts';

describe('the text of a stream', () => {
  checkGrowth(slackMarkdown, anything, (text) => expect(rawBrackets(text)).toEqual([]));
  checkHolding(slackMarkdown, anything);
});
