import { z } from 'zod';
import { text } from '../wire/members.ts';

/** A text in several languages (platform contract BOT-3, WST-1). */
export const localized = (doc: string) =>
  z
    .array(
      z.strictObject({
        languageCode: text('BCP 47 tag, such as en-US'),
        content: text('The text in that language'),
      }),
    )
    .describe(doc);
