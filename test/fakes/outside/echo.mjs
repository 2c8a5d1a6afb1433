/**
 * A channel from outside Parley: POST /echo asks, GET /echo shows the answers. `fails` names the step in which it
 * throws, `hangs` the step that never returns, `strays` the step after which an error comes that it does not handle.
 */
export const channel = ({ defineChannel, secretSetting, z }) =>
  defineChannel({
    api: 1,
    name: 'echo',
    title: 'Echo',
    on: 'when-configured',
    page: 'README.md',
    settings: (environment) =>
      z.strictObject({
        token: secretSetting(environment, 'What callers must know').optional(),
        greeting: z.string().min(2).default('hello').describe('What it says first'),
        fails: z.string().optional().describe('The step that throws'),
        strays: z.string().optional().describe('The step after which a stray error comes'),
        hangs: z.string().optional().describe('The step that never returns'),
      }),
    variables: { ECHO_TOKEN: { setting: 'token', kind: 'secret' } },
    faults: (own) => (own.fails === 'faults' ? broken('faults') : []),
    announce(settings) {
      if (settings.fails === 'announce') broken('announce');
      return `on, and says ${settings.greeting}`;
    },
    create: async (settings) => {
      await step('create', settings);
      return adapterOf(settings);
    },
    checks: async (settings) => {
      await step('checks', settings);
      return [{ what: 'Echo voice', ok: true, detail: settings.greeting }];
    },
  });

function broken(step) {
  throw new Error(`the ${step}\n  broke`);
}

async function step(name, { fails, hangs, strays }) {
  if (strays === name) setTimeout(() => broken(`timer after ${name}`), 1);
  if (strays === name) void Promise.reject(new Error(`the promise after ${name} broke`));
  if (fails === name) broken(name);
  if (hangs === name) await new Promise(() => undefined);
}

function adapterOf(settings) {
  const said = [];
  let host;
  return {
    name: 'echo',
    limits: { post: { gapMs: 0 } },
    abilities: {},
    async start(given) {
      await step('start', settings);
      host = given;
      host.mount('/echo', async (request, response) => {
        if (settings.fails === 'request') broken('request');
        if (request.method === 'GET') return void response.end(JSON.stringify(said));
        let text = '';
        for await (const chunk of request) text += chunk;
        const kept = await host.intake(question(text));
        response.end(JSON.stringify(kept));
      });
    },
    async stop() {
      await step('stop', settings);
    },
    writer: () => writerOf(settings, said),
    openFile: async () => new Uint8Array(),
  };
}

function question(text) {
  const id = `q-${Math.random()}`;
  const thread = { channel: 'echo', tenant: 't', room: 'r', key: id, kind: 'direct' };
  const sender = { id: 'p', name: 'P', standing: 'member' };
  const asked = { text, agent: 'echo', quoted: [], files: [], sentAt: Date.now(), revision: 0 };
  const message = { id, thread, sender, ...asked };
  return { kind: 'ask', origin: { kind: 'message', key: id, revision: 0 }, message };
}

function writerOf(settings, said) {
  const blank = { rung: 'once', parts: [], finished: false };
  return {
    blank: () => blank,
    resume: (screen) => screen,
    next(screen, document) {
      if (settings.fails === 'next') broken('next');
      const isOver = !['thinking', 'writing'].includes(document.state);
      return isOver && !screen.finished ? [{ family: 'post', essential: true, call: document.text }] : [];
    },
    after: (screen, _move, outcome) => ({ ...screen, finished: outcome.kind === 'done' }),
    async perform(move) {
      await step('perform', settings);
      said.push(move.call);
      return { kind: 'done' };
    },
  };
}
