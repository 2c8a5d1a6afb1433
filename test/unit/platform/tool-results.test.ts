import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/core/agents/agent.ts';
import { turnId } from '../../../src/core/ids.ts';
import { begin, fold } from '../../../src/core/live-reply/compose.ts';
import { bytesOf, decoderOf } from './decode.ts';

const event = (data: unknown, name = ''): string =>
  `${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const GUIDE = { title: 'Guide', content: 'Two years.', score: 0.9, document_id: 'd-1' };
const TERMS = { title: 'Terms', content: 'From the day of delivery.', score: 0.8, document_id: 'd-2' };

function documentOf(body: string) {
  const decoder = decoderOf('text/event-stream');
  const events: AgentEvent[] = [...decoder.push(bytesOf(body)), ...decoder.finish()];
  return events.reduce(fold, begin(turnId('t-1')));
}

describe('tool results of an answer (DEC-20)', () => {
  it('tool results that the end event repeats count once', () => {
    const answer = documentOf(
      event({ tool_result: [GUIDE, TERMS] }, 'tool_result') +
        event({ content: 'Two years [1].' }, 'stream') +
        event({ code: 200, data: { full_output: 'Two years [1].', tool_result: [GUIDE, TERMS] } }, 'end'),
    );
    expect(answer.sources.map(({ title, mark, fragments }) => [title, mark, fragments.length])).toEqual([
      ['Guide', 1, 1],
      ['Terms', 2, 1],
    ]);
  });

  it('additional tool results of the end event are added', () => {
    const answer = documentOf(
      event({ tool_result: [GUIDE] }, 'tool_result') +
        event({ data: { full_output: 'Two years.', tool_result: [GUIDE, TERMS] } }, 'end'),
    );
    expect(answer.sources.map(({ title, fragments }) => [title, fragments.length])).toEqual([
      ['Guide', 1],
      ['Terms', 1],
    ]);
  });

  it('tool results without a document become one step each', () => {
    const sum = { tool: 'calculator', result: 42 };
    const answer = documentOf(
      event({ tool_result: [GUIDE, sum] }, 'tool_result') +
        event('It is Tuesday.', 'tool_result') +
        event({ data: { full_output: 'It is 42.', tool_result: [GUIDE, sum] } }, 'end'),
    );
    expect(answer.steps.map(({ name, state, detail }) => [name, state, detail])).toEqual([
      ['calculator', 'done', '{"tool":"calculator","result":42}'],
      ['Tool', 'done', 'It is Tuesday.'],
    ]);
    expect(answer.sources.map(({ title }) => title)).toEqual(['Guide']);
  });
});
