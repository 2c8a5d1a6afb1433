/**
 * Messages in Slack as people see them and as Slack sends them to apps. Each names where its form was seen: Slack's
 * reference, reports and code of other people, or a form of the same kind. The visible words are written by hand.
 */

type Json = Readonly<Record<string, unknown>>;

export interface Seen {
  readonly name: string;
  /** A public report, page or program that shows this form. */
  readonly source?: string;
  /** Properties of the message. */
  readonly message: Json;
  /** The words that people see, apart from the mention of the app and the name of the asker. */
  readonly visible: string;
  /** Words that must not be part of the asker's own text. */
  readonly others?: string;
  /** Set if the message can only be a direct message, an event in a channel, or an event at all. */
  readonly only?: 'direct' | 'channel' | 'event';
}

export const BOT = 'U0BOT';

const text = (words: string, style?: Json): Json => ({ type: 'text', text: words, ...(style && { style }) });
const link = (url: string, words?: string): Json => ({ type: 'link', url, ...(words && { text: words }) });
const user = (id: string, style?: Json): Json => ({ type: 'user', user_id: id, ...(style && { style }) });
const section = (...elements: readonly Json[]): Json => ({ type: 'rich_text_section', elements });
const quote = (...elements: readonly Json[]): Json => ({ type: 'rich_text_quote', elements });
const code = (words: string, more: Json = {}): Json => ({
  type: 'rich_text_preformatted',
  elements: [text(words)],
  ...more,
});
const bullets = (style: string, indent: number, ...items: readonly string[]): Json => ({
  type: 'rich_text_list',
  style,
  indent,
  elements: items.map((item) => section(text(item))),
});
const rich = (...elements: readonly Json[]): readonly Json[] => [{ type: 'rich_text', elements }];
const typed = (...elements: readonly Json[]): readonly Json[] => rich(section(...elements));
const mrkdwn = (words: string): Json => ({ type: 'mrkdwn', text: words });
const plain = (words: string): Json => ({ type: 'plain_text', text: words, emoji: true });
const button = (words: string): Json => ({
  type: 'button',
  text: plain(words),
  action_id: 'hidden',
  value: 'hidden',
});
const image = (alt: string): Json => ({ type: 'image', image_url: 'https://i.example/a.png', alt_text: alt });
const raw = (words: string): Json => ({ type: 'raw_text', text: words });
const app = (name: string, more: Json): Json => ({
  subtype: 'bot_message',
  bot_id: 'B7',
  bot_profile: { id: 'B7', name },
  user: undefined,
  text: `<@${BOT}>`,
  ...more,
});

const words: readonly Seen[] = [
  {
    name: 'plain text',
    message: { text: 'How long is a pass valid?' },
    visible: 'How long is a pass valid?',
  },
  {
    name: 'escaped signs',
    source: 'https://docs.slack.dev/messaging/formatting-message-text',
    message: { text: 'is 3 &lt; 5 &amp;&amp; AT&amp;T &gt; 2?' },
    visible: 'is 3 < 5 && AT&T > 2?',
  },
  {
    name: 'styles inside of words',
    message: {
      text: 'un*believ*able _really_ ~not~ `npm ci`',
      blocks: typed(
        text('un'),
        text('believ', { bold: true }),
        text('able '),
        text('really', { italic: true, underline: true }),
        text(' not', { strike: true }),
        text(' npm ci', { code: true }),
        text(' marked', { highlight: true, client_highlight: true }),
      ),
    },
    visible: 'really not npm ci marked',
  },
  {
    name: 'lists in lists, numbered from four',
    message: {
      text: '-',
      blocks: rich(
        section(text('Compare:\n')),
        { ...bullets('ordered', 0, 'roof'), offset: 3 },
        bullets('bullet', 1, 'tiles', 'beams'),
        { ...bullets('ordered', 0, 'cellar'), offset: 4 },
        bullets('bullet', 2, 'too deep'),
      ),
    },
    visible: 'Compare 4 roof tiles beams 5 cellar too deep',
  },
  {
    name: 'a list with a border, a quote and code',
    message: {
      text: '-',
      blocks: rich(
        quote(text('the gate was open\n'), user('U2'), text(' told me')),
        { ...bullets('bullet', 0, 'quoted item'), border: 1 },
        code('if a < b:\n  print(a)', { language: 'python', border: 0 }),
        section(text('why?')),
      ),
    },
    visible: 'the gate was open Grace Hopper told me quoted item python if a < b print a why',
  },
  {
    name: 'code that contains links',
    source: '@slack/types, RichTextPreformatted',
    message: {
      text: '-',
      blocks: rich({
        type: 'rich_text_preformatted',
        elements: [
          text('curl '),
          link('https://api.example/v1'),
          text(' '),
          link('https://b.example', 'docs'),
        ],
      }),
    },
    visible: 'curl https://api.example/v1 docs',
  },
  {
    name: 'emoji of three kinds',
    message: {
      text: 'great :tada: :shipit:',
      blocks: typed(
        text('great '),
        { type: 'emoji', name: 'tada', unicode: '1f389' },
        { type: 'emoji', name: 'shipit', url: 'https://e.example/s.png' },
        { type: 'emoji', name: 'wave', unicode: '1f44b-1f3fd', skin_tone: 4 },
      ),
    },
    visible: 'great 🎉 shipit 👋',
  },
  {
    name: 'mentions of people, channels, groups and everybody',
    message: {
      text: '<@U2> <#C5> <!subteam^S0PLATFORM> <!here>',
      blocks: typed(
        text('ask '),
        user('U2', { bold: true }),
        text(' and '),
        { type: 'usergroup', usergroup_id: 'S0PLATFORM' },
        text(' in '),
        { type: 'channel', channel_id: 'C5', style: { italic: true } },
        { type: 'broadcast', range: 'here' },
      ),
    },
    visible: 'ask Grace Hopper and platform-team in harbour-ops here',
  },
  {
    name: 'mentions in the older format',
    message: {
      text: 'ask <@U2> or <@U3|linus>, <!subteam^S0PLATFORM|@platform-team> in <#C5|harbour-ops> <!channel>',
    },
    visible: 'ask Grace Hopper or Linus platform-team in harbour-ops channel',
  },
  {
    name: 'a mention of a workspace',
    source: '@slack/types, RichTextTeamMention',
    message: { text: '-', blocks: typed(text('does '), { type: 'team', team_id: 'T0ACME' }, text(' know?')) },
    visible: 'does T0ACME know',
  },
  {
    name: 'dates with and without a fallback',
    source: 'https://docs.slack.dev/messaging/formatting-message-text#date-formatting',
    message: {
      text: '-',
      blocks: typed(
        text('due '),
        { type: 'date', timestamp: 1_772_409_600, format: '{date_long}', fallback: '2 March 2026' },
        text(' or '),
        { type: 'date', timestamp: 1_772_409_600, format: 'Closed {date_num} at {time}' },
      ),
    },
    visible: 'due 2 March 2026 or Closed 2026 at',
  },
  {
    name: 'dates in the older format',
    message: {
      text: '<!date^1392734382^Posted {date_num} {time_secs}|Posted 2014-02-18 6:39 PST> <!date^1392734382^Opened {date} early^https://t.example>',
    },
    visible: 'Posted 2014-02-18 6:39 PST Opened 2014 early',
  },
  {
    name: 'links, mail and telephone',
    message: {
      text: '<https://s.example/q|Cost | Benefit> <https://s.example/bare> <mailto:ada@example.org|Ada> <mailto:b@example.org|b@example.org> <tel:+4930123|+49 30 123> <plan.example|the plan>',
    },
    visible: 'Cost Benefit https://s.example/bare Ada ada@example.org b@example.org 49 30 123 the plan',
  },
  {
    name: 'a colour',
    source: '@slack/types, RichTextColor',
    message: { text: '-', blocks: typed(text('paint it '), { type: 'color', value: '#F4A261' }) },
    visible: 'paint it #F4A261',
  },
  {
    name: 'mentions of a list, a canvas, a file, a message and a work object',
    source: 'https://docs.slack.dev/reference/block-kit/block-elements/rich-text-section-element',
    message: {
      text: 'compare F01',
      blocks: typed(
        text('compare '),
        {
          type: 'list_record',
          file_id: 'F01',
          record_id: 'Rec1',
          text: 'Broken crane',
          url: 'https://l.example',
        },
        text(' '),
        { type: 'canvas', file_id: 'F02', label: 'Berth plan', url: 'https://c.example' },
        text(' '),
        {
          type: 'message_mention',
          channel_id: 'C5',
          message_ts: '1.2',
          text: 'Yesterday’s notice',
          url: 'https://m.example',
        },
        text(' '),
        {
          type: 'work_object_mention',
          entity_id: 'x',
          app_id: 'A1',
          text: 'Ticket 77',
          url: 'https://w.example',
          product_name: 'Tracker',
        },
        text(' '),
        { type: 'attachment_mention', url: 'https://a.example', text: 'Quarterly sheet' },
        text(' '),
        { type: 'workflow_mention', workflow_id: 'W', function_trigger_id: 'Ft', text: 'Request leave' },
        text(' '),
        { type: 'tag', text: 'urgent', color: 'gray' },
        text(' '),
        { type: 'canvas_user_mention', user_id: 'U2' },
        text(' '),
        {
          type: 'salesforce_data_field',
          salesforce_record_id: 'x',
          salesforce_field_label: 'Stage',
          salesforce_include_field_label: true,
        },
      ),
    },
    visible:
      'compare Broken crane Berth plan Yesterday’s notice Ticket 77 Quarterly sheet Request leave urgent Grace Hopper Stage',
  },
  {
    name: 'elements that no reference names yet',
    source: 'https://docs.slack.dev/reference/types/expanded_rich_text-type',
    message: {
      text: '-',
      blocks: rich(
        { type: 'rich_text_header', text: plain('Morning plan'), level: 2 },
        { type: 'rich_text_columns', elements: [section(text('left words')), section(user('U2'))] },
        section({ type: 'sparkle', label: 'shiny words' }),
      ),
    },
    visible: 'Morning plan left words Grace Hopper shiny words',
  },
  {
    name: '/me',
    source: '@slack/types, MeMessageEvent',
    message: { subtype: 'me_message', text: 'wonders who has the keys' },
    only: 'direct',
    visible: 'wonders who has the keys',
  },
  {
    name: 'a reply that is also sent to the channel',
    source: '@slack/types, ThreadBroadcastMessageEvent',
    message: {
      subtype: 'thread_broadcast',
      thread_ts: '1699999000.000100',
      root: { text: 'root', ts: '1699999000.000100' },
      text: `<@${BOT}> is it for everybody?`,
    },
    only: 'channel',
    visible: 'is it for everybody',
  },
];

const blocks: readonly Seen[] = [
  {
    name: 'a header, a section with fields, a divider and a context',
    message: app('Deploys', {
      blocks: [
        { type: 'header', text: plain('Deploy 412') },
        {
          type: 'section',
          text: mrkdwn('*main* is <https://ci.example|red>'),
          fields: [mrkdwn('*Author*\nAda'), plain('Took 4 min')],
        },
        { type: 'divider' },
        { type: 'context', elements: [image('warning sign'), mrkdwn('by <@U2>'), plain('today')] },
      ],
    }),
    only: 'channel',
    visible: 'Deploy 412 main is red Author Ada Took 4 min warning sign by Grace Hopper today',
  },
  {
    name: 'buttons, menus and what is chosen in them',
    source: '@slack/types, ActionsBlock',
    message: app('Rota', {
      blocks: [
        {
          type: 'actions',
          elements: [
            button('Take over'),
            {
              type: 'static_select',
              placeholder: plain('Pick a shift'),
              initial_option: { text: plain('Night shift'), value: 'hidden' },
              options: [],
            },
            { type: 'users_select', initial_user: 'U2' },
            { type: 'multi_users_select', initial_users: ['U3'] },
            { type: 'channels_select', initial_channel: 'C5' },
            { type: 'conversations_select', placeholder: plain('Where') },
            { type: 'datepicker', initial_date: '2026-03-04' },
            { type: 'timepicker', initial_time: '07:45' },
            { type: 'datetimepicker', initial_date_time: 1_772_409_600 },
            { type: 'overflow', options: [{ text: plain('Snooze'), value: 'hidden' }] },
            {
              type: 'workflow_button',
              text: plain('Open form'),
              workflow: { trigger: { url: 'https://w.example' } },
            },
          ],
        },
      ],
    }),
    only: 'channel',
    visible:
      'Take over Night shift Grace Hopper Linus harbour-ops Where 2026-03-04 07:45 2026-03 Snooze Open form',
  },
  {
    name: 'a poll with checkboxes and radio buttons',
    message: app('Poll', {
      blocks: [
        { type: 'section', text: mrkdwn('*Where do we eat?*'), accessory: button('End poll') },
        { type: 'section', text: mrkdwn(':one: Noodles `2`\n<@U2>, <@U3>'), accessory: button('Vote') },
        {
          type: 'actions',
          elements: [
            {
              type: 'checkboxes',
              options: [{ text: mrkdwn('*Anonymous*'), description: mrkdwn('hide names'), value: 'hidden' }],
            },
          ],
        },
        {
          type: 'actions',
          elements: [{ type: 'radio_buttons', options: [{ text: plain('Today'), value: 'hidden' }] }],
        },
        { type: 'context', elements: [mrkdwn('Created with Poll')] },
      ],
    }),
    only: 'channel',
    visible:
      'Where do we eat End poll Noodles 2 Grace Hopper Linus Vote Anonymous hide names Today Created with Poll',
  },
  {
    name: 'inputs of a workflow form',
    source: '@slack/types, InputBlock',
    message: app('Requests', {
      blocks: [
        {
          type: 'input',
          label: plain('Reason'),
          hint: plain('one sentence'),
          element: {
            type: 'plain_text_input',
            placeholder: plain('Type here'),
            initial_value: 'crane stuck',
          },
        },
        {
          type: 'input',
          label: plain('Notes'),
          element: { type: 'rich_text_input', initial_value: rich(section(text('rusty rope')))[0] },
        },
        { type: 'input', label: plain('How many'), element: { type: 'number_input', initial_value: '17' } },
      ],
    }),
    only: 'channel',
    visible: 'Reason one sentence crane stuck Notes rusty rope How many 17',
  },
  {
    name: 'the message of a workflow',
    message: {
      subtype: 'bot_message',
      bot_id: 'B7',
      user: undefined,
      username: 'Leave request',
      text: `<@${BOT}> new request`,
      blocks: rich(
        section(
          user(BOT),
          text(' new request', { bold: true }),
          text('\nFrom: '),
          user('U2'),
          text('\nDays: 3'),
        ),
      ),
    },
    only: 'channel',
    visible: 'new request From Grace Hopper Days 3',
  },
  {
    name: 'an image with a title and another text',
    message: {
      text: '-',
      blocks: [...typed(text('what is it?')), { ...image('A red crane'), title: plain('crane.png by Ada') }],
    },
    visible: 'what is it A red crane crane.png by Ada',
  },
  {
    name: 'a video block',
    source: '@slack/types, VideoBlock',
    message: app('Video', {
      blocks: [
        {
          type: 'video',
          video_url: 'https://v.example/embed',
          thumbnail_url: 'https://v.example/t.png',
          alt_text: 'Mooring explained',
          title: plain('How to moor'),
          title_url: 'https://v.example/1',
          author_name: 'Harbour School',
          provider_name: 'ViewTube',
          description: plain('Ropes and knots'),
        },
      ],
    }),
    only: 'channel',
    visible: 'Mooring explained How to moor Harbour School ViewTube Ropes and knots',
  },
  {
    name: 'Markdown',
    source: '@slack/types, MarkdownBlock',
    message: app('Writer', {
      blocks: [
        {
          type: 'markdown',
          text: '# Plan\n- [x] rope\n\n| a | b |\n|---|---|\n| one | two |\n\nsee <https://x.example|notes> by <@U2>',
        },
      ],
    }),
    only: 'channel',
    visible: 'Plan rope a b one two see notes by Grace Hopper',
  },
  {
    name: 'a plan with task cards',
    source: '@slack/types, PlanBlock',
    message: app('Planner', {
      blocks: [
        {
          type: 'plan',
          title: 'Check the berth',
          tasks: [
            {
              type: 'task_card',
              task_id: 'hidden',
              title: 'Look up tides',
              status: 'complete',
              details: rich(section(text('two tables')))[0],
              output: rich(section(text('low at nine')))[0],
              sources: [{ type: 'url', url: 'https://tides.example', text: 'Tide table' }],
            },
          ],
        },
      ],
    }),
    only: 'channel',
    visible: 'Check the berth Look up tides two tables low at nine Tide table',
  },
  {
    name: 'cards in a carousel',
    source: '@slack/types, CarouselBlock',
    message: app('Shop', {
      blocks: [
        {
          type: 'carousel',
          elements: [
            {
              type: 'card',
              hero_image: image('blue boat'),
              icon: image('shop icon'),
              title: mrkdwn('*Dinghy*'),
              subtitle: mrkdwn('two seats'),
              body: mrkdwn('400 EUR'),
              subtext: mrkdwn('used once'),
              actions: [button('Reserve')],
            },
            { type: 'card', title: mrkdwn('Kayak') },
          ],
        },
      ],
    }),
    only: 'channel',
    visible: 'blue boat shop icon Dinghy two seats 400 EUR used once Reserve Kayak',
  },
  {
    name: 'a container, an alert and feedback buttons',
    source: '@slack/types, ContainerBlock, AlertBlock, ContextActionsBlock',
    message: app('Desk', {
      blocks: [
        {
          type: 'container',
          rich_text_title: rich(section(text('Rope store')))[0],
          subtitle: mrkdwn('_aisle four_'),
          child_blocks: [{ type: 'section', text: plain('Hemp only') }],
        },
        { type: 'alert', level: 'warning', text: mrkdwn('Stock is *low*') },
        {
          type: 'context_actions',
          elements: [
            {
              type: 'feedback_buttons',
              positive_button: { text: plain('Helpful'), value: 'hidden' },
              negative_button: { text: plain('Wrong'), value: 'hidden' },
            },
            { type: 'icon_button', icon: 'trash', text: plain('Delete') },
          ],
        },
      ],
    }),
    only: 'channel',
    visible: 'Rope store aisle four Hemp only Stock is low Helpful Wrong Delete',
  },
  {
    name: 'a table and a data table',
    source: 'vercel/chat#803; @slack/types, DataTableBlock',
    message: app('Stock', {
      blocks: [
        {
          type: 'table',
          rows: [
            [raw('Dock'), raw('Free')],
            [raw('North'), null],
            [raw('South'), { type: 'raw_number', value: 7 }],
          ],
        },
        {
          type: 'data_table',
          caption: 'Crates of May',
          rows: [
            [raw('Kind'), raw('Share')],
            [
              rich(section(text('tea', { bold: true }), user('U2')))[0],
              { type: 'raw_number', value: 0.5, text: '50 %' },
            ],
          ],
        },
      ],
    }),
    only: 'channel',
    visible: 'Dock Free North South 7 Crates of May Kind Share tea Grace Hopper 50',
  },
  {
    name: 'a chart',
    source: 'https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block',
    message: app('Charts', {
      blocks: [
        {
          type: 'data_visualization',
          title: 'Arrivals',
          chart: {
            type: 'bar',
            axis: { categories: ['Monday', 'Tuesday'], x_label: 'Weekday', y_label: 'Ships' },
            series: [{ name: 'Ferries', data: [{ label: 'Monday', value: 31 }] }],
          },
        },
      ],
    }),
    only: 'channel',
    visible: 'Arrivals Monday Tuesday Weekday Ships Ferries 31',
  },
  {
    name: 'a call and a shared file as blocks',
    source: '@slack/web-api, ConversationsHistoryResponse',
    message: app('Meetings', {
      blocks: [
        {
          type: 'call',
          call_id: 'hidden',
          call: {
            v1: {
              id: 'hidden',
              name: 'Harbour round',
              display_id: '705-292',
              active_participants: [{ display_name: 'Margaret' }],
            },
          },
        },
        {
          type: 'file',
          external_id: 'hidden',
          source: 'remote',
          file: { id: 'F9', title: 'Tide tables 2026' },
        },
        { type: 'share_shortcut', title: plain('Report a hazard'), button_label: 'Start' },
      ],
    }),
    only: 'channel',
    visible: 'Harbour round 705-292 Margaret Tide tables 2026 Report a hazard Start',
  },
  {
    name: 'a block of the future',
    message: app('Next', {
      blocks: [
        {
          type: 'timeline',
          heading: 'Voyage',
          stops: [{ type: 'stop', title: plain('Leith'), description: mrkdwn('two hours') }],
        },
      ],
    }),
    only: 'channel',
    visible: 'Voyage Leith two hours',
  },
];

const alerts: readonly Seen[] = [
  {
    name: 'an alert of Grafana',
    source: 'NousResearch/hermes-agent#33469',
    message: app('Grafana', {
      attachments: [
        {
          title: '[FIRING:1] KubeJobFailed (warning)',
          title_link: 'https://grafana.example/alerting/17',
          text: '**Firing**\nValue: B=22\nLabels:\n - job = tides',
          fallback: '[FIRING:1] KubeJobFailed (warning)',
          fields: [{ title: 'Severity', value: 'warning', short: true }],
          footer: 'Grafana v11.2',
          footer_icon: 'https://g.example/f.png',
          ts: 1_772_409_600,
          color: '#D63232',
          image_url: 'https://g.example/panel.png',
        },
      ],
    }),
    only: 'channel',
    visible:
      'FIRING 1 KubeJobFailed warning https://grafana.example/alerting/17 Firing Value B 22 Labels job tides Severity Grafana v11 2026',
  },
  {
    name: 'an incident of PagerDuty',
    message: app('PagerDuty', {
      text: `<@${BOT}> Triggered #88`,
      attachments: [
        {
          pretext: 'Triggered <https://pd.example/88|#88>',
          text: 'Pump 4 is hot',
          fields: [
            { title: 'Assigned', value: '<@U2>' },
            { title: 'Urgency', value: 'High' },
            { title: '', value: 'no runbook' },
          ],
          actions: [
            { name: 'ack_internal', text: 'Acknowledge', type: 'button', value: 'hidden' },
            {
              name: 'snooze_internal',
              text: 'Snooze for',
              type: 'select',
              selected_options: [{ text: 'four hours', value: 'hidden' }],
            },
          ],
          callback_id: 'hidden',
        },
      ],
    }),
    only: 'channel',
    visible:
      'Triggered 88 Pump 4 is hot Assigned Grace Hopper Urgency High no runbook Acknowledge four hours',
  },
  {
    name: 'an issue of Sentry in blocks',
    message: app('Sentry', {
      text: `<@${BOT}> TypeError in harbour`,
      attachments: [
        {
          color: '#E03E2F',
          blocks: [
            { type: 'section', text: mrkdwn(':red_circle: <https://sentry.example/1|*TypeError*>') },
            { type: 'section', text: mrkdwn("```Cannot read 'berth'```") },
            { type: 'context', elements: [mrkdwn('Events: *41*   Users: *9*   State: *New*')] },
            {
              type: 'actions',
              elements: [
                button('Resolve'),
                {
                  type: 'static_select',
                  placeholder: plain('Select Assignee'),
                  option_groups: [
                    { label: plain('Teams'), options: [{ text: plain('#dock'), value: 'hidden' }] },
                  ],
                },
              ],
            },
          ],
          fallback: '[harbour] TypeError',
        },
      ],
    }),
    only: 'channel',
    visible: 'TypeError Cannot read berth Events 41 Users 9 State New Resolve Select Assignee',
  },
  {
    name: 'an issue of Jira',
    message: app('Jira Cloud', {
      attachments: [
        {
          author_name: 'Margaret updated a Task',
          title: 'DOCK-7 Replace the fender',
          title_link: 'https://jira.example/DOCK-7',
          text: 'Status: *To do → Doing*',
          fields: [
            { title: 'Priority', value: 'Medium', short: true },
            { title: 'Story points', value: 5, short: true },
          ],
          footer: 'DOCK board',
          mrkdwn_in: ['text'],
        },
      ],
    }),
    only: 'channel',
    visible:
      'Margaret updated a Task DOCK-7 Replace the fender Status To do Doing Priority Medium Story points 5 board',
  },
  {
    name: 'a pull request of GitHub',
    message: app('GitHub', {
      attachments: [
        {
          pretext: 'Pull request opened by <https://github.com/ada|ada>',
          author_name: 'ada',
          author_subname: 'Ada L.',
          title: '<https://github.com/o/r/pull/12|#12 Tie the rope twice>',
          text: 'Because once is not enough',
          fields: [
            { title: 'Reviewers', value: 'margaret, linus' },
            { title: 'Labels', value: 'safety' },
          ],
          footer: '<https://github.com/o/r|o/r>',
          footer_icon: 'https://g.example/i.png',
          ts: '1772409600',
        },
      ],
    }),
    only: 'channel',
    visible:
      'Pull request opened by ada Ada L 12 Tie the rope twice Because once is not enough Reviewers margaret linus Labels safety o r',
  },
  {
    name: 'a monitor of Datadog with words in both forms',
    message: app('Datadog', {
      text: `<@${BOT}> Monitor: queue depth 900 on node 4`,
      attachments: [
        {
          title: 'Triggered: queue depth',
          text: '%%% \navg(last_5m) > 800\n %%%',
          fallback: 'Triggered',
          fields: [{ title: 'Tags', value: 'env:prod' }],
          thumb_url: 'https://d.example/t.png',
        },
      ],
    }),
    only: 'channel',
    visible: 'Monitor queue depth 900 on node 4 Triggered avg last_5m 800 Tags env prod',
  },
  {
    name: 'an alert whose mention stands in the attachment',
    source: 'paradigmxyz/centaur#1048',
    message: app('Alarm', { text: '', attachments: [{ text: `<@${BOT}> depth falls`, fallback: 'depth' }] }),
    only: 'channel',
    visible: 'depth falls',
  },
  {
    name: 'an attachment with a fallback only',
    message: app('Old', { attachments: [{ id: 1, fallback: 'Build 9 passed', color: 'good' }] }),
    only: 'channel',
    visible: 'Build 9 passed',
  },
  {
    name: 'forty attachments of an app',
    message: app('Digest', {
      attachments: Array.from({ length: 40 }, (_, nth) => ({ text: `entry n${nth}`, id: nth + 1 })),
    }),
    only: 'channel',
    visible: Array.from({ length: 40 }, (_, nth) => `n${nth}`).join(' '),
  },
];

const shares: readonly Seen[] = [
  {
    name: 'a preview of a page',
    message: {
      text: 'sum up <https://news.example/a>',
      attachments: [
        {
          id: 1,
          from_url: 'https://news.example/a',
          original_url: 'https://news.example/a',
          service_name: 'Harbour News',
          service_icon: 'https://n.example/i.png',
          title: 'Ferry returns',
          title_link: 'https://news.example/a',
          text: 'After three years',
          fallback: 'Harbour News: Ferry returns',
          image_url: 'https://n.example/p.png',
          footer: 'Culture',
          ts: 1_772_409_600,
        },
      ],
    },
    others: 'After three years',
    visible: 'sum up https://news.example/a Harbour News Ferry returns After three years Culture 2026',
  },
  {
    name: 'a preview of a post',
    message: {
      text: '<https://x.example/1>',
      attachments: [
        {
          from_url: 'https://x.example/1',
          author_name: 'Port of Leith',
          author_subname: '@leith',
          text: 'Fog until noon',
          service_name: 'X',
          footer: 'X (formerly Twitter)',
        },
      ],
    },
    others: 'Fog until noon',
    visible: 'https://x.example/1 Port of Leith @leith Fog until noon X formerly Twitter',
  },
  {
    name: 'a preview of an app without from_url',
    message: {
      text: 'see https://tracker.example/7',
      attachments: [
        {
          id: 1,
          is_app_unfurl: true,
          app_unfurl_url: 'https://tracker.example/7',
          app_id: 'A7',
          title: 'Ticket 7',
          blocks: [
            { type: 'section', text: mrkdwn('Status *open*') },
            { type: 'table', rows: [[raw('Owner')], [raw('Mina')]] },
          ],
          preview: { title: plain('Ticket seven'), subtitle: plain('Opened by Ola') },
        },
      ],
    },
    others: 'Mina',
    visible: 'see https://tracker.example/7 Ticket 7 Status open Owner Mina Ticket seven Opened by Ola',
  },
  {
    name: 'a forward with own words, files and an inner forward',
    source: 'NousResearch/hermes-agent#96384',
    message: {
      text: 'what is wrong here',
      attachments: [
        {
          is_share: true,
          is_msg_unfurl: true,
          author_id: 'U7',
          author_name: 'Mara',
          from_url: 'https://bench.slack.com/archives/C77/p17000000001',
          text: 'Queue is stuck since noon',
          fallback: '[Nov 1st] mara: Queue is stuck',
          ts: '1700000000.1',
          footer: 'Thread in #war-room',
          files: [
            {
              id: 'FFWD',
              name: 'depth-chart.png',
              mimetype: 'image/png',
              size: 70,
              url_private: 'https://files.slack.com/f',
            },
          ],
          message_blocks: [
            {
              team: 'T1',
              channel: 'C77',
              ts: '1700000000.1',
              message: {
                blocks: typed(text('Queue is stuck since noon, says '), user('U2')),
                attachments: [
                  { is_share: true, author_name: 'Ola', text: 'inner words', ts: '1699999000.1' },
                ],
              },
            },
          ],
        },
      ],
    },
    others: 'stuck since noon',
    visible:
      'what is wrong here Mara Queue is stuck since noon says Grace Hopper Thread in war-room depth-chart.png Ola inner words 2023',
  },
  {
    name: 'a forward without own words',
    message: {
      text: '',
      attachments: [
        {
          is_share: true,
          is_msg_unfurl: true,
          author_name: 'Mara',
          text: 'which valve is it',
          from_url: 'https://b.slack.com/archives/C77/p2',
        },
      ],
    },
    only: 'direct',
    others: 'which valve',
    visible: 'Mara which valve is it',
  },
  {
    name: 'a forward of an alert of an app',
    message: {
      text: 'explain',
      attachments: [
        {
          is_share: true,
          is_msg_unfurl: true,
          author_subname: 'Grafana',
          bot_id: 'B7',
          from_url: 'https://b.slack.com/archives/C77/p3',
          text: '',
          message_blocks: [
            {
              message: {
                bot_id: 'B7',
                text: '',
                blocks: [],
                attachments: [{ title: 'Disk full', fields: [{ title: 'Host', value: 'crane-2' }] }],
              },
            },
          ],
        },
      ],
    },
    others: 'Disk full',
    visible: 'explain Grafana Disk full Host crane-2',
  },
  {
    name: 'a preview of a message in a thread',
    message: {
      text: 'so <https://b.slack.com/archives/C77/p4?thread_ts=1.2>',
      attachments: [
        {
          is_msg_unfurl: true,
          is_reply_unfurl: true,
          author_name: 'Ola',
          text: 'Only with *two* ropes, <@U2>',
          footer: 'From a thread in #rope',
          from_url: 'https://b.slack.com/archives/C77/p4',
          private_channel_prompt: false,
        },
      ],
    },
    others: 'ropes',
    visible: 'so Ola Only with two ropes Grace Hopper From a thread in rope',
  },
  {
    name: 'twelve forwards',
    message: {
      text: 'which of these?',
      attachments: Array.from({ length: 12 }, (_, nth) => ({
        is_share: true,
        author_name: `Author${nth}`,
        text: `words f${nth}`,
      })),
    },
    others: 'words f3',
    visible: `which of these ${Array.from({ length: 12 }, (_, nth) => `Author${nth} f${nth}`).join(' ')}`,
  },
  {
    name: 'a pasted table with an empty cell',
    message: {
      text: 'where is room',
      attachments: [
        {
          id: 1,
          fallback: '[no preview available]',
          blocks: [
            {
              type: 'table',
              rows: [
                [raw('Dock'), raw('Booked'), raw('Free')],
                [raw('North'), null, raw('7')],
              ],
            },
          ],
        },
      ],
    },
    visible: 'where is room Dock Booked Free North 7',
  },
];

const CONNECTED = 'a file of another organization';
const files: readonly Seen[] = [
  [
    'a picture with a title',
    { name: 'IMG_1.png', title: 'Crane at dawn', mimetype: 'image/png' },
    'Crane at dawn.png',
  ],
  [
    'a snippet',
    {
      name: 'worker.log',
      title: 'worker.log',
      mode: 'snippet',
      mimetype: 'text/plain',
      preview: 'ERROR cannot open socket\nat line 42',
    },
    'worker.log ERROR cannot open socket at line 42',
  ],
  [
    'a post',
    {
      name: 'Rules',
      title: 'Rules',
      mode: 'space',
      filetype: 'space',
      mimetype: 'text/plain',
      preview: 'No swimming',
    },
    'Rules No swimming',
  ],
  [
    'an e-mail',
    {
      title: 'Re: invoice 77',
      mode: 'email',
      mimetype: 'text/html',
      subject: 'Re: invoice 77',
      from: [{ address: 'ann@example.org', name: 'Ann', original: 'Ann <ann@example.org>' }],
      to: [{ address: 'desk@example.org', original: 'desk@example.org' }],
      cc: [{ original: 'Bob <bob@example.org>' }],
      plain_text: 'The invoice is late',
      original_attachment_count: 1,
      attachments: [{ filename: 'invoice-77.pdf', size: 3, mimetype: 'application/pdf' }],
    },
    'Ann ann@example.org desk@example.org Bob bob Re invoice 77 The invoice is late invoice-77.pdf',
  ],
  [
    'a canvas',
    { title: 'Launch canvas', name: 'Launch_canvas', mode: 'quip', filetype: 'quip' },
    'Launch canvas',
  ],
  [
    'a list',
    { title: 'Backlog', mode: 'list', filetype: 'list', mimetype: 'application/vnd.slack-list' },
    'list Backlog',
  ],
  [
    'a voice clip with its transcript',
    {
      name: 'audio_message.m4a',
      mimetype: 'audio/mp4',
      subtype: 'slack_audio',
      transcription: { status: 'complete', preview: { content: 'order forty pallets', has_more: false } },
    },
    'order forty pallets',
  ],
  [
    'a voice clip without a transcript',
    {
      name: 'audio_message.m4a',
      mimetype: 'audio/mp4',
      subtype: 'slack_audio',
      transcription: { status: 'processing' },
    },
    'audio_message.m4a',
  ],
  [
    'a video clip',
    {
      name: 'clip.mp4',
      title: 'clip.mp4',
      mimetype: 'video/mp4',
      subtype: 'slack_video',
      transcription: { status: 'complete', preview: { content: 'this is the winch', has_more: true } },
    },
    'this is the winch clip.mp4',
  ],
  ['a video', { name: 'demo.mp4', mimetype: 'video/mp4' }, 'demo.mp4'],
  [
    'a file of another service',
    { title: 'Plan', mode: 'external', external_type: 'gdrive', is_external: true },
    'Plan gdrive',
  ],
  ['a deleted file', { mode: 'tombstone' }, 'deleted file'],
  ['a file that the plan of the workspace hides', { mode: 'hidden_by_limit' }, 'file'],
  [
    CONNECTED,
    { file_access: 'check_file_info', created: 0 },
    'Manifest of the Astrid.txt forty crates of tea',
  ],
].map(([name, file, visible], nth) => ({
  name: String(name),
  message: { subtype: 'file_share', text: 'look at it', files: [{ id: `F${nth}`, ...(file as Json) }] },
  visible: `look at it ${visible}`,
  // Slack returns whole files in a history: https://docs.slack.dev/apis/slack-connect/#check_file_info
  ...(name === CONNECTED && { only: 'event' as const }),
}));

/** What Slack's files.info answers for the file of another organization. */
export const connected: Json = {
  name: 'manifest.txt',
  title: 'Manifest of the Astrid.txt',
  mode: 'snippet',
  mimetype: 'text/plain',
  preview: 'forty crates of tea',
};

export const events: readonly Seen[] = [...words, ...blocks, ...alerts, ...shares, ...files];
