/**
 * The sign-in card. A Teams client that sees it requests a token for the resource, and sends the token to the bot in
 * place of showing the card (Microsoft's page "Add code to enable SSO in your bot app"; Bot Framework, "OAuthCard"). No
 * Azure OAuth connection is needed: the cards of TeamsFx' `TeamsBotSsoPrompt` contain no connection either.
 */

import { words } from './words.ts';

const CARD_TYPE = 'application/vnd.microsoft.card.oauth';

/**
 * Returns the message with the card. Properties without a value are left out, because Teams responds with
 * BadRequest if a property of `tokenExchangeResource` is null.
 * @param id of this request; the client sends it back with the token
 * @param page address at which a person signs in if the client gets no token by itself
 * @param recipient id of the only person who sees the card in a group chat
 */
export const cardMessage = (uri: string, id: string, page: string, recipient?: string): object => ({
  type: 'message',
  ...(recipient !== undefined && { recipient: { id: recipient } }),
  attachments: [
    {
      contentType: CARD_TYPE,
      content: {
        text: words.card,
        connectionName: '',
        tokenExchangeResource: { id, uri },
        buttons: [{ type: 'signin', title: words.button, value: page }],
      },
    },
  ],
});
