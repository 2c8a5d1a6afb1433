import { describe, expect, it } from 'vitest';
import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { messageWith } from '../../../../adapters/teams/render/message.ts';
import { GROWING, START, type StreamState } from '../../../../src/kit/emission.ts';
import { context, expectSound, personal, whole } from './messages.ts';
import { lastOf, streams } from './recorded.ts';

const { emit } = emitterOf('markdown');

/** Returns the text of a native stream after each document of a recording. */
function shownBy(name: string): readonly string[] {
  let state: StreamState = START;
  let shown = '';
  let rewrites = 0;
  return (streams[name] ?? []).map((document) => {
    // A stream cannot change text that it has shown; the final edit shows the rewritten beginning.
    if (document.rewrites !== rewrites) {
      rewrites = document.rewrites;
      state = START;
      shown = '';
    }
    const more = emit(document.text, state, GROWING);
    state = more.state;
    shown += more.out;
    return shown;
  });
}

describe.each(Object.keys(streams))('the recorded stream %s', (name) => {
  it('matches the reviewed output in Teams while it grows and at its end', async () => {
    const document = lastOf(name);
    const messages = { grown: shownBy(name), room: whole(document), personal: whole(document, personal) };
    await expect(`${JSON.stringify(messages, null, 2)}\n`).toMatchFileSnapshot(`snapshots/${name}.snap`);
  });

  it('gives valid messages at every step, by edits and as the end of a stream', () => {
    const shown = shownBy(name);
    for (const [at, document] of (streams[name] ?? []).entries()) {
      expectSound(whole(document, context));
      const parts = {
        document,
        extent: { begin: START },
        context: personal,
        form: 'rich',
      } as const;
      expectSound(messageWith(shown[at] || '…', parts));
    }
  });
});
