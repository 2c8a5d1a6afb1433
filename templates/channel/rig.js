/** The room as a rig of `parley conform`: it acts for the people in the chat, and lets calls fail. */

import { eventOf, NAMES, Room } from './room.js';

/** @import { OpenRig, RigQuestion, TransportFault } from 'parley/kit' */
/** @import { RoomFault } from './room.js' */

const SECRET = 'a secret for the checks';

/** @type {OpenRig} */
export async function conform(_kit, { url }) {
  const room = new Room({ target: `${url}/__name__`, secret: SECRET });
  /** What each person read besides the replies, by question. @type {Map<string, string>} */
  const told = new Map();
  const address = await room.listen();
  const replies = (/** @type {RigQuestion} */ { thread }) => room.in(thread).filter(({ isApp }) => isApp);
  const textsOf = (/** @type {RigQuestion} */ question) => replies(question).map(({ text }) => text);
  /** @type {(fault: RoomFault) => () => void} */
  const arm = (fault) => () => {
    room.fault = fault;
  };
  /** @param {RigQuestion} question */
  const say = async ({ key, thread, person, text }) => {
    const heard = await room.say({ id: key, thread, person, text });
    if (heard.told !== '') told.set(key, heard.told);
    return heard;
  };
  return {
    settings: { url: address, token: SECRET },
    say,
    repeat: ({ key: id, thread, person, text }) =>
      room.send(eventOf('message', { id, thread, person, text })),
    edit: ({ key, person }, text) => room.edit(key, person, text),
    remove: ({ key, person }) => room.remove(key, person),
    echo: ({ thread, text }) => room.say({ thread, person: 'app', text, isApp: true }),
    shown: textsOf,
    seen: textsOf,
    namesake: true,
    retryAfterMs: 3_000,
    told: ({ key }) => [...(told.has(key) ? [told.get(key) ?? ''] : [])],
    // The room shows plain text, in which only mentions are live.
    live: (question) => ({
      mentions: replies(question).flatMap(({ text, buttons }) =>
        [text, ...buttons.map(({ label }) => label)].flatMap((each) => each.match(MENTION) ?? []),
      ),
      images: [],
      links: [],
    }),
    hostile: NAMES.map((name) => `Hello @${name}!`),
    actions: ['stop', 'retry', 'regenerate', 'suggestion'],
    async press({ question, action, detail, by }) {
      const [reply] = replies(question);
      const button = reply?.buttons.find((each) => each.action === action && each.detail === detail);
      if (reply === undefined || button === undefined)
        throw new Error(`The reply has no button for ${action}.`);
      return (await room.press(reply.id, by, button)).told;
    },
    faults: /** @satisfies {Partial<Record<TransportFault, () => void>>} */ ({
      ...{ lost: arm('lost'), hidden: arm('hidden'), hang: arm('hang') },
      ...{ rate: arm('rate'), busy: arm('busy'), gone: arm('gone') },
    }),
    calls: () => room.calls,
    close: () => room.close(),
  };
}

const MENTION = new RegExp(`@(?:${NAMES.join('|')})\\b`, 'gi');
