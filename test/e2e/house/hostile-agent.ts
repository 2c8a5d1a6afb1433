/** An agent that sends prepared texts, cut into pieces anywhere, even inside characters. */

import type { ServerResponse } from 'node:http';
import { CHAT, type HostilePlatform, startHostilePlatform } from '../../fakes/hostile-platform.ts';

/** Maximum length of a piece, in UTF-16 units; most are far shorter. */
const PIECE_UNITS = 900;
/** Number of pieces that are sent without a pause. */
const AT_ONCE = 8;

export interface HostileAgent {
  readonly platform: HostilePlatform;
  /**
   * Answers by word: the agent gives the answer whose word the question contains. If the word begins with "torn", the
   * connection closes before the end of the answer.
   */
  readonly answers: Map<string, string>;
}

export async function startHostileAgent(random: () => number): Promise<HostileAgent> {
  const answers = new Map<string, string>();
  const platform = await startHostilePlatform();
  platform.on(CHAT, ({ body }, response) => {
    const name = lastNamed(body, [...answers.keys()]);
    const pieces = cutAnywhere(answers.get(name) ?? 'Nothing.', random);
    stream(pieces, response, name.startsWith('torn') ? 'torn' : 'whole');
  });
  return { platform, answers };
}

/**
 * Finds the word in the last question. The request also contains the thread's earlier questions, so only the last
 * word in the request counts.
 */
const lastNamed = (body: string, names: readonly string[]): string =>
  names.reduce(
    (last, each) => (body.lastIndexOf(each) > body.lastIndexOf(last) ? each : last),
    'none of them',
  );

/** Cuts a text into random pieces, also inside surrogate pairs. */
function cutAnywhere(text: string, random: () => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() ** 3 * PIECE_UNITS);
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

function stream(pieces: string[], response: ServerResponse, end: 'torn' | 'whole'): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const next = (): void => {
    for (const content of pieces.splice(0, AT_ONCE)) {
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    }
    if (pieces.length > 0) setImmediate(next);
    else if (end === 'whole') response.end('data: [DONE]\n\n');
    // Closes the connection only after the written text was sent.
    else setImmediate(() => response.destroy());
  };
  next();
}

/** Joins texts into answers of about `chars` characters; no text is split. */
export function together(texts: readonly string[], chars: number): readonly string[] {
  const all: string[] = [];
  let said = '';
  for (const text of texts) {
    if (said.length + text.length > chars) {
      all.push(said);
      said = '';
    }
    said += `${text}\n\n`;
  }
  return [...all, said];
}
