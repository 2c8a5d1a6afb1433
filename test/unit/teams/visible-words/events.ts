/**
 * Messages in Teams as people see them and as Teams sends them to bots. Each names where its form was seen: reports and
 * code of other people, Microsoft's documentation, or a form of the same kind.
 */

type Json = Readonly<Record<string, unknown>>;

export interface Seen {
  readonly name: string;
  /** A public report, page or program that shows this form. */
  readonly source?: string;
  readonly where?: 'personal' | 'groupChat' | 'channel';
  readonly text?: string;
  /** The HTML copy. */
  readonly html?: string;
  readonly attachments?: readonly Json[];
  readonly entities?: readonly Json[];
  /** Further properties of the activity. */
  readonly more?: Json;
  /** True if the HTML copy lacks words, so that only the plain text has them. */
  readonly isBroken?: true;
  /** The words that people see, apart from the mention of the app. */
  readonly visible: string;
  /** Words that must not be part of the asker's own text. */
  readonly others?: string;
}

export const BOT = '28:11111111-2222-3333-4444-555555555555';

const mentionOf = (id: string, name: string, text: string | undefined = `<at>${name}</at>`): Json => ({
  type: 'mention',
  mentioned: { id, name },
  ...(text !== undefined && { text }),
});
const parley = mentionOf(BOT, 'Parley');
const span = (name: string, nth = 0): string =>
  `<span itemscope="" itemtype="http://schema.skype.com/Mention" itemid="${nth}">${name}</span>`;
const card = (type: string, content: unknown, more: Json = {}): Json => ({
  contentType: `application/vnd.microsoft.card.${type}`,
  content,
  ...more,
});
const adaptive = (body: readonly Json[], more: Json = {}): Json =>
  card('adaptive', { type: 'AdaptiveCard', version: '1.5', body, ...more });
const reply = (author: string, words: string, prop = 'preview'): string =>
  `<blockquote itemscope itemtype="http://schema.skype.com/Reply" itemid="1783379480258">` +
  `<strong itemprop="mri" itemid="8:orgid:1">${author}</strong><span itemprop="time" itemid="1783379480258"></span>` +
  `<p itemprop="${prop}">${words}</p></blockquote>`;
const emoji = (alt: string, more = ''): string =>
  `<img itemscope="" itemtype="http://schema.skype.com/Emoji" itemid="x" src="https://statics.teams.cdn.office.net/x.png" alt="${alt}"${more}>`;

const words: readonly Seen[] = [
  {
    name: 'plain text without a copy',
    text: 'How long is a pass valid?',
    visible: 'How long is a pass valid?',
  },
  {
    name: 'an encoded text without a copy',
    source: 'MicrosoftDocs/OfficeDocs-SkypeForBusiness#4723',
    text: 'is 3 &lt; 5 &amp;&amp; 7 &gt; 2?',
    visible: 'is 3 < 5 && 7 > 2?',
  },
  { name: 'an empty copy', text: 'the gate code', html: '<p></p>', isBroken: true, visible: 'the gate code' },
  {
    name: 'a copy that is cut off',
    text: 'first words and last words',
    html: '<p>first <b>wor',
    isBroken: true,
    visible: 'first words and last words',
  },
  {
    name: 'lines of a phone',
    text: 'one\ntwo',
    html: '<div><div>one</div><div>two</div></div>',
    visible: 'one two',
  },
  {
    name: 'styles inside of words',
    text: 'unbelievable really',
    html: '<p>un<b>believ</b>able <i>really</i></p>',
    visible: 'really',
  },
  {
    name: 'a heading and a line',
    text: 'Plan\r\nstep',
    html: '<h2>Plan</h2><hr><p>step</p>',
    visible: 'Plan step',
  },
  {
    name: 'lists in lists',
    text: 'Compare:\r\nroof\r\ntiles\r\nbeams\r\ncellar',
    html: '<p>Compare:</p><ol start="3"><li>roof<ul><li>tiles</li><li>beams</li></ul></li><li>cellar</li></ol>',
    visible: 'Compare: 3. roof - tiles - beams 4. cellar',
  },
  {
    name: 'code of the code editor',
    source: 'a client for Teams; message with schema.skype.com/CodeBlockEditor',
    text: 'why does it fail?',
    html:
      '<p>why does it fail?</p><p itemtype="http://schema.skype.com/CodeBlockEditor" id="x_c">&nbsp;</p>' +
      '<pre class="language-python skipProofing" itemid="c"><code>if a &lt; b:<br>&nbsp;&nbsp;print(a)</code></pre>',
    visible: 'why does it fail? python if a < b: print(a)',
  },
  {
    name: 'a code block of an older client',
    text: 'look',
    html: '<p>look</p><codeblock class="TypeScript"><code>const a = list[0];<br>return a;</code></codeblock>',
    visible: 'look TypeScript const a = list[0]; return a;',
  },
  {
    name: 'a table with an empty cell',
    source: 'a client for Teams; message with a table of three columns',
    text: 'Total 61 Pass 31 51%',
    html: '<table><tbody><tr><td>Total</td><td>61</td><td>&nbsp;</td></tr><tr><td>Pass</td><td>31</td><td>51%</td></tr></tbody></table>',
    visible: '| Total | 61 | | | Pass | 31 | 51% |',
  },
  {
    name: 'a link with the title of its page',
    source: 'NousResearch/hermes-agent#73816',
    text: 'sum up Harbour rules',
    html: '<p>sum up <a href="https://docs.example.org/rules" title="https://docs.example.org/rules">Harbour rules</a></p>',
    visible: 'sum up Harbour rules https://docs.example.org/rules',
  },
  {
    name: 'a mail address and a Loop page',
    text: 'ask Ada about the page',
    html: '<p>ask <a href="mailto:ada@example.org">Ada</a> about <a href="https://c.sharepoint.com/:fl:/g/x">the page</a></p>',
    visible: 'ask Ada ada@example.org about the page https://c.sharepoint.com/:fl:/g/x',
  },
  {
    name: 'emoji of three kinds',
    source: 'a client for Teams; Microsoft Graph, "customemoji"',
    text: 'great (smile)',
    html: `<p>great <emoji id="smile" alt="😀" title="Smile"></emoji>${emoji('👍')}<customemoji id="c2hpcA==" alt="shipit"></customemoji></p>`,
    visible: 'great 😀 👍 shipit',
  },
  {
    name: 'hidden words of a mail',
    text: 'body',
    html: '<div style="display:none">preheader</div><p>body</p>',
    visible: 'body',
  },
  {
    name: 'an announcement',
    source: 'Microsoft Graph, "Send an announcement"',
    where: 'channel',
    text: '<at>Parley</at> is it true?',
    html: `<attachment id="a1"></attachment><p>${span('Parley')} is it true?</p>`,
    entities: [parley],
    attachments: [
      {
        id: 'a1',
        contentType: 'application/vnd.microsoft.teams.messaging-announcementBanner',
        content: '{"title":"Doors close at six","cardImageType":"colorTheme"}',
      },
    ],
    visible: 'is it true? Doors close at six',
  },
  {
    name: 'subject and importance',
    where: 'channel',
    text: '<at>Parley</at> who knows?',
    entities: [parley],
    more: { subject: 'Leak in the cellar', importance: 'urgent' },
    visible: 'Urgent Leak in the cellar who knows?',
  },
];

const mentions: readonly Seen[] = [
  {
    name: 'Microsoft 365 Copilot',
    source: 'microsoft/teams.py#180',
    where: 'groupChat',
    text: "my pet's name is barnie!",
    entities: [mentionOf(BOT, 'ai-test', undefined), { type: 'ProductInfo', id: 'COPILOT' }],
    visible: "my pet's name is barnie!",
  },
  {
    name: 'a name with an ampersand',
    source: 'microsoft/botbuilder-js#2083',
    where: 'channel',
    text: '<at>Q&amp;A Parley</at> when does it open?',
    html: `<p>${span('Q&amp;A Parley')}&nbsp;when does it open?</p>`,
    entities: [{ type: 'mention', mentioned: { id: BOT, name: 'Q&A Parley' } }],
    visible: 'when does it open?',
  },
  {
    name: 'one mention for each word of a name',
    source: 'microsoft/botbuilder-js#4379',
    where: 'channel',
    text: '<at>Parley</at> what did <at>Ada</at> <at>Lovelace</at> say?',
    html: `<p>${span('Parley')} what did ${span('Ada', 1)}&nbsp;${span('Lovelace', 2)} say?</p>`,
    entities: [parley, mentionOf('29:ada', 'Ada'), mentionOf('29:ada', 'Lovelace')],
    visible: 'what did Ada Lovelace say?',
  },
  {
    name: 'the app in bold, in a list and at the end',
    where: 'groupChat',
    text: '<at>Parley</at> compare\r\na\r\nb, <at>Parley</at>?',
    html: `<p><strong>${span('Parley')}</strong>&nbsp;compare</p><ul><li>a</li><li>b, ${span('Parley')}?</li></ul>`,
    entities: [parley],
    visible: 'compare - a - b?',
  },
];

const quotes: readonly Seen[] = [
  {
    name: 'a reply with a preview',
    source: 'openclaw/openclaw, test of a recorded reply',
    text: 'what about this?',
    html: `${reply('Display Name', "San Francisco right now ... Today's range: 54-64 °F")}\n<p>what about this?</p>`,
    visible: "Display Name San Francisco right now ... Today's range: 54-64 °F what about this?",
    others: 'San Francisco',
  },
  {
    name: 'a reply without own words',
    text: '',
    html: reply('Ada', 'the whole text', 'copy'),
    visible: 'Ada the whole text',
    others: 'whole',
  },
  {
    name: 'a reply of an older client',
    source: 'a client for Teams; message 1774023047032',
    text: 'imagine our board',
    html:
      '<div><blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1"><p><b><span itemprop="mri" itemid="8:orgid:1">' +
      'Nathan&nbsp;</span><span itemprop="time" itemid="1"></span></b></p><p itemprop="preview">Image Douchin</p></blockquote>imagine our board</div>',
    visible: 'Nathan Image Douchin imagine our board',
    others: 'Douchin',
  },
  {
    name: 'the same reply in three formats',
    text: '<quoted messageId="1"/> is that so?',
    html: `${reply('Ada', 'Three months is the limit for all visitors')}<p>is that so?</p>`,
    entities: [
      {
        type: 'quotedReply',
        quotedReply: { messageId: '1', senderName: 'Ada', preview: 'Three months is the limit…' },
      },
    ],
    visible: 'Ada Three months is the limit for all visitors is that so?',
    others: 'limit',
  },
  {
    name: 'a forward in the copy',
    source: 'openclaw/openclaw, test of a forward',
    text: 'see this\r\n\r\nthe forwarded body text',
    html: '<p>see this</p><blockquote itemtype="http://schema.skype.com/Forward"><p>the forwarded body text</p></blockquote>',
    visible: 'see this the forwarded body text',
    others: 'body',
  },
  {
    name: 'a forward without own words',
    text: 'for clarification: logged out',
    html: '<blockquote itemtype="http://schema.skype.com/Forward">\n<p>for clarification: logged out</p>\n</blockquote>',
    visible: 'for clarification: logged out',
    others: 'clarification',
  },
  {
    name: 'a forward with a list, a link and a GIF',
    source: 'Microsoft Graph, "forwardedMessageReference"',
    text: '',
    html: '<attachment id="1786"></attachment>',
    attachments: [
      {
        id: '1786',
        contentType: 'forwardedMessageReference',
        content: JSON.stringify({
          originalMessageContent:
            '<ol><li>budget</li><li><a href="https://example.org/b">plan</a></li></ol><img itemtype="http://schema.skype.com/Giphy" alt="Party" src="https://g.example/1.gif">',
          originalMessageSender: { user: { displayName: 'Omar Reed' } },
        }),
      },
    ],
    visible: 'Omar Reed 1. budget 2. plan https://example.org/b Party',
    others: 'budget',
  },
  {
    name: 'a quote that the asker wrote',
    text: 'he said yes why?',
    html: '<blockquote><p>he said yes</p></blockquote><p>why?</p>',
    visible: '> he said yes why?',
  },
];

const cards: readonly Seen[] = [
  {
    name: 'an Adaptive Card of another app',
    source: 'mattermost/mattermost-plugin-msteams#749',
    text: 'what does this mean?',
    attachments: [
      adaptive([
        { type: 'TextBlock', text: 'Build 4711 failed' },
        { type: 'FactSet', facts: [{ title: 'Stage', value: 'tests' }] },
      ]),
    ],
    visible: 'what does this mean? Build 4711 failed Stage tests',
    others: '4711',
  },
  {
    name: 'an Adaptive Card with columns, a table, inputs and buttons',
    text: '',
    attachments: [
      adaptive(
        [
          {
            type: 'ColumnSet',
            columns: [
              { type: 'Column', items: [{ type: 'TextBlock', text: 'North' }] },
              { type: 'Column', items: [{ type: 'TextBlock', text: '412' }] },
            ],
          },
          {
            type: 'Table',
            rows: [
              {
                type: 'TableRow',
                cells: [
                  { type: 'TableCell', items: [{ type: 'TextBlock', text: 'Q1' }] },
                  { type: 'TableCell', items: [{ type: 'TextBlock', text: '412' }] },
                ],
              },
            ],
          },
          {
            type: 'RichTextBlock',
            inlines: ['Hello ', { type: 'TextRun', text: 'world', weight: 'bolder' }],
          },
          { type: 'Input.ChoiceSet', label: 'Colour', choices: [{ title: 'Red', value: 'r0' }] },
          { type: 'Image', url: 'https://example.org/x.png', altText: 'Map of the harbour' },
        ],
        { actions: [{ type: 'Action.OpenUrl', title: 'Open dashboard', url: 'https://example.org/d' }] },
      ),
    ],
    visible:
      'North 412 Q1 412 Hello world Colour Red Map of the harbour Open dashboard https://example.org/d',
    others: 'harbour',
  },
  {
    name: 'a thumbnail card as JSON text',
    text: 'and this?',
    attachments: [
      card(
        'thumbnail',
        JSON.stringify({
          title: 'Lift 3',
          subtitle: 'out of order',
          text: 'since Monday',
          buttons: [{ type: 'openUrl', title: 'Report', value: 'https://example.org' }],
        }),
      ),
    ],
    visible: 'and this? Lift 3 out of order since Monday Report',
    others: 'Monday',
  },
  {
    name: 'a receipt',
    text: 'is it right?',
    attachments: [
      card('receipt', {
        title: 'Order 17',
        facts: [{ key: 'Paid with', value: 'card' }],
        items: [{ title: 'Paint', quantity: '3', price: '$ 12' }],
        tax: '$ 1',
        total: '$ 37',
      }),
    ],
    visible: 'is it right? Order 17 Paid with card Paint 3 $ 12 $ 1 $ 37',
  },
  {
    name: 'a card of a connector',
    text: 'explain',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.teams.card.o365connector',
        content: {
          '@type': 'MessageCard',
          title: 'Release',
          sections: [
            {
              activityTitle: 'Omar pushed',
              activitySubtitle: 'to main',
              facts: [{ name: 'Tests', value: 'red' }],
            },
          ],
          potentialAction: [
            {
              '@type': 'ActionCard',
              name: 'Comment',
              inputs: [
                { '@type': 'MultichoiceInput', title: 'Why', choices: [{ display: 'Flaky', value: '1' }] },
              ],
            },
          ],
        },
      },
    ],
    visible: 'explain Release Omar pushed to main Tests red Comment Why Flaky',
  },
  {
    name: 'a list card',
    text: '',
    attachments: [
      card('list', {
        title: 'Open tickets',
        items: [{ type: 'resultItem', title: '94744', subtitle: 'same password' }],
        buttons: [{ type: 'imBack', title: 'All', value: 'all' }],
      }),
    ],
    visible: 'Open tickets 94744 same password All',
  },
  {
    name: 'the HTML of a card',
    source: 'microsoft/BotBuilder-Samples#2338',
    text: 'what is it?',
    html: '<p>what is it?</p><span itemscope="" itemtype="http://schema.skype.com/InputExtension" itemid="c1"><p>Repository title</p><p>12 stars</p></span>',
    visible: 'what is it? Repository title 12 stars',
    others: 'stars',
  },
];

const parts: readonly Seen[] = [
  {
    name: 'a file from OneDrive on Android',
    source: 'microsoft/botbuilder-dotnet#6812',
    html: '<p></p><attachment id="5fae"></attachment>',
    visible: 'file',
  },
  {
    name: 'a file in a channel, with its link',
    source: 'a client for Teams; file links have the type HyperLink/Files',
    where: 'channel',
    text: '<at>Parley</at> read Portfolio.xlsx',
    html: `<p>${span('Parley')} read <a href="https://c.sharepoint.com/p.xlsx" itemtype="http://schema.skype.com/HyperLink/Files" itemid="F01">Portfolio.xlsx</a></p><attachment id="F01"></attachment>`,
    entities: [parley],
    visible: 'read Portfolio.xlsx https://c.sharepoint.com/p.xlsx',
  },
  {
    name: 'a file without an address',
    source: 'microsoft/botbuilder-js#4723',
    text: 'read it',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.teams.file.download.info',
        contentUrl: 'https://c.sharepoint.com/a.docx',
        name: 'a.docx',
        content: { uniqueId: 'u', fileType: 'docx' },
      },
    ],
    visible: 'read it a.docx',
  },
  {
    name: 'a reference to a file',
    text: 'and this',
    attachments: [
      { contentType: 'reference', contentUrl: 'https://c.sharepoint.com/plan.pdf', name: 'plan.pdf' },
    ],
    visible: 'and this plan.pdf',
  },
  {
    name: 'a voice message in a channel',
    source: 'MicrosoftDocs/msteams-docs#14169',
    where: 'channel',
    html: '<div><span itemid="bfb1" itemscope="" itemtype="http://schema.skype.com/InputExtension"></span></div>',
    entities: [mentionOf(BOT, 'Parley', undefined)],
    visible: 'voice message',
  },
  {
    name: 'an audio recording of a phone',
    source: 'MicrosoftDocs/msteams-docs#1805',
    attachments: [
      card(
        'audio',
        '{"duration":"PT13S","media":[{"url":"https://eu-api.asm.skype.com/v1/objects/x/views/audio"}]}',
      ),
    ],
    visible: 'audio recording',
  },
  {
    name: 'a GIF',
    source: 'a client for Teams; elements with schema.skype.com/Giphy',
    text: 'look',
    html: '<p>look</p><readonly title="Happy dance" itemtype="http://schema.skype.com/Giphy" contenteditable="false"><img alt="Happy dance" src="https://media.giphy.com/1.gif" itemtype="http://schema.skype.com/Giphy"></readonly>',
    visible: 'look GIF Happy dance',
  },
  {
    name: 'a sticker and a video',
    source: 'clients for Teams; schema.skype.com/Sticker, schema.skype.com/AMSVideo',
    text: 'see',
    html: '<p>see <img itemtype="http://schema.skype.com/Sticker" alt="Bored" src="https://statics.example/s.png"><video src="https://x.asm.skype.com/v1" itemtype="http://schema.skype.com/AMSVideo">demo.mp4</video></p>',
    visible: 'see sticker Bored video demo.mp4',
  },
  {
    name: 'a Loop component',
    source: 'a client for Teams; schema.skype.com/FluidEmbedCard',
    text: 'fill it in',
    html: '<p>fill it in</p><span itemtype="http://schema.skype.com/FluidEmbedCard" itemid="0123"></span>',
    visible: 'fill it in Loop component',
  },
];

export const events: readonly Seen[] = [...words, ...mentions, ...quotes, ...cards, ...parts];
