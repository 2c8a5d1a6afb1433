/** Effects of the channels' calls on a reply. */

/** `takes`: deletes a message. */
export type Doing = 'opens' | 'grows' | 'edits' | 'takes';

const doings: Readonly<Record<string, Doing>> = {
  'chat.postMessage': 'opens',
  'chat.startStream': 'opens',
  'chat.appendStream': 'grows',
  'chat.stopStream': 'grows',
  'chat.update': 'edits',
  'chat.delete': 'takes',
  send: 'opens',
  'stream.start': 'opens',
  stream: 'grows',
  final: 'grows',
  update: 'edits',
  delete: 'takes',
};

export const doingOf = (method: string): Doing | undefined => doings[method];

/** True if a call of this method can show people something new, unlike a deletion. */
export const shows = (method: string): boolean => {
  const doing = doingOf(method);
  return doing !== undefined && doing !== 'takes';
};

/** True for an error after which the same call may be made again. */
export const isPassing = (error: string): boolean =>
  /internal|fatal|Throttled|PreconditionFailed|ServiceError|Gateway|Unavailable/.test(error);
