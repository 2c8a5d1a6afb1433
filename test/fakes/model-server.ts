/**
 * Answers of servers with OpenAI's chat completions, as https://platform.openai.com/docs/api-reference/chat/streaming and
 * https://platform.openai.com/docs/api-reference/models/list document them.
 */

/** Returns one chunk of a streamed answer. */
export const modelChunk = (delta: object, finish_reason: string | null = null): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'small',
  choices: [{ index: 0, delta, finish_reason }],
});

/** The response of the list of models. */
export const MODELS = {
  object: 'list',
  data: [{ id: 'small', object: 'model', created: 1_700_000_000, owned_by: 'us' }],
};
