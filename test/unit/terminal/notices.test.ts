import { expect, it } from 'vitest';
import { createTerminal } from '../../../adapters/terminal/index.ts';
import { begin, breakOff } from '../../../src/core/live-reply/compose.ts';
import { BridgeError, type ReplyDocument } from '../../../src/kit.ts';
import { turn } from '../../fakes/samples.ts';

it.each([
  ['Some text', 'platform-idle'],
  ['', 'turn-damaged'],
] as const)('an answer %j that broke off with %s names the way to retry that a terminal has', async (text, code) => {
  const shown: ReplyDocument[] = [];
  const { adapter } = createTerminal((_, each) => shown.push(each));
  const writer = adapter.writer(turn());
  const written = { ...begin(turn().id), text };
  const [move] = writer.next(writer.blank(), breakOff(written, new BridgeError(code, 'It failed.')), 0);
  if (move === undefined) throw new Error('there is no move');
  await writer.perform(move, new AbortController().signal);
  expect(shown[0]?.notices.at(-1)?.text).toContain('To retry, ask the question again.');
  expect(shown[0]?.notices.at(-1)?.text).not.toMatch(/press/i);
});
