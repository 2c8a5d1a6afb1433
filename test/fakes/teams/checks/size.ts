/**
 * Checks the size of a message: 100 KB, "the entire message payload encoded as UTF-16", without inline images.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages
 */

import type { Json } from '../read.ts';

/** Maximum bytes of a message. */
export const LARGEST_MESSAGE = 100 * 1_024;

export const sizeOf = (activity: Json): number =>
  JSON.stringify(activity).replaceAll(/data:image\/[a-z+]+;base64,[A-Za-z0-9+/=]*/g, '').length * 2;

export const isTooLarge = (activity: Json): boolean => sizeOf(activity) > LARGEST_MESSAGE;
