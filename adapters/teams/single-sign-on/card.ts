/**
 * The sign-in card. A Teams client that sees it requests a token for the resource, and sends the token to the bot in
 * place of showing the card (Microsoft's page "Add code to enable SSO in your bot app"; Bot Framework, "OAuthCard"). No
 * Azure OAuth connection is needed: the cards of TeamsFx' `TeamsBotSsoPrompt` contain no connection either.
 */

import type { SingleSignOn } from '../config.ts';
import { words } from './words.ts';

const CARD_TYPE = 'application/vnd.microsoft.card.oauth';

export interface CardParts {
  /** Id of this request, which the client sends back with the token. */
  readonly exchange: string;
  /** Address of the page on which a person signs in if the client gets no token by itself. */
  readonly page: string;
  /** Id of the only person who sees the card in a group chat. */
  readonly recipient?: string | undefined;
}

/**
 * Returns the message with the card. Properties without a value are left out, because Teams responds with
 * BadRequest if a property of `tokenExchangeResource` is null.
 */
export const cardMessage = (
  { resource }: SingleSignOn,
  { exchange, page, recipient }: CardParts,
): object => ({
  type: 'message',
  ...(recipient !== undefined && { recipient: { id: recipient } }),
  attachments: [
    {
      contentType: CARD_TYPE,
      content: {
        text: words.card,
        connectionName: '',
        tokenExchangeResource: { id: exchange, uri: resource },
        buttons: [{ type: 'signin', title: words.button, value: page }],
      },
    },
  ],
});
