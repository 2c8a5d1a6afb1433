import type { AgentEvent } from '../core/agents/agent.ts';
import type { Media, Source, Step } from '../core/reply.ts';

/** An answer as one value, whether it came as a stream or at once (platform contract DEC-1). */
export async function wholeAnswerOf(events: AsyncIterable<AgentEvent>) {
  const whole: {
    text: string;
    session?: string;
    chatRecord?: string;
    sources: readonly Source[];
    suggestions: readonly string[];
    thoughts: Omit<Step, 'id'>[];
    media: Media[];
  } = { text: '', sources: [], suggestions: [], thoughts: [], media: [] };
  const steps = new Map<string, Omit<Step, 'id'>>();
  for await (const event of events) {
    if (event.type === 'text') whole.text = whole.text.slice(0, event.at) + event.text;
    else if (event.type === 'session') whole.session = event.session;
    else if (event.type === 'record') whole.chatRecord = event.chatRecord;
    else if (event.type === 'sources') whole.sources = event.sources;
    else if (event.type === 'suggestions') whole.suggestions = event.suggestions;
    else if (event.type === 'step') {
      const { id, ...step } = event.step;
      steps.set(id, step);
    } else if (event.type === 'media') whole.media.push(event.media);
  }
  whole.thoughts = [...steps.values()];
  return whole;
}
