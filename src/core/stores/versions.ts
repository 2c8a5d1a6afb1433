import type { TurnId } from '../ids.ts';
import { change, type ReplyDocument } from '../reply.ts';
import type { ReplyShelf } from './shelf.ts';

/** The version as it was shown, with its place among those that there are now. */
export async function versionOf(
  reply: TurnId,
  edition: number,
  shelf: ReplyShelf,
): Promise<ReplyDocument | undefined> {
  const editions = await shelf.editions(reply);
  const wanted = editions[edition - 1];
  const document = wanted && (await shelf.find(wanted))?.document;
  return document && change(document, { editions: { shown: edition, count: editions.length } });
}
