/**
 * The part of `parley/kit` that needs installed packages. It is not in `kit.ts`, so that the definition of a channel
 * loads without them.
 */

export { plain as plainText } from '../reply/markdown/plain.ts';
export { type LineSurface, lineWriter } from './line-writer.ts';
export type { SoughtMessage } from './message-extras.ts';
export { type MessageSurface, messageWriter, type ReplyMessage } from './message-writer.ts';
export { plainLines } from './plain-lines.ts';
