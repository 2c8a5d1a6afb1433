/**
 * Checks how a Markdown text is written for Slack, Teams and Teams' extended Markdown. The result must be the same
 * whether the text arrives whole or grows.
 */

import { expect } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { type Emitter, ENDED, GROWING, START, type StreamState } from '../../../../src/kit/emission.ts';

export const teams = emitterOf('markdown');
export const extended = emitterOf('extendedmarkdown');

/**
 * A source and its expected output. If the output for Teams or for extended Markdown is missing, it is the same as
 * for Slack.
 */
export type Written = readonly [source: string, slack: string, teams?: string, extended?: string];

/** Returns the output of a stream that receives one UTF-16 unit at a time and stores its state after each unit. */
function grown({ emit, closing }: Emitter, source: string): string {
  let state: StreamState = START;
  let shown = '';
  for (let end = 1; end <= source.length; end++) {
    const more = emit(source.slice(0, end), JSON.parse(JSON.stringify(state)), GROWING);
    shown += more.out;
    state = more.state;
  }
  const rest = emit(source, state, ENDED);
  return shown + rest.out + closing(rest.state);
}

export function expectWritten(source = '', forSlack = '', forTeams = forSlack, forExtended = forSlack): void {
  expect(slackMarkdown.markdown(source)).toBe(forSlack);
  expect(teams.markdown(source)).toBe(forTeams);
  expect(extended.markdown(source)).toBe(forExtended);
  for (const emitter of [slackMarkdown, teams, extended])
    expect(grown(emitter, source)).toBe(emitter.markdown(source));
}

/** Returns the end of a growing text that a stream does not show yet, because its meaning is still open. */
export const held = (emitter: Emitter, source: string): string =>
  source.slice(emitter.emit(source, START, GROWING).state.at);
