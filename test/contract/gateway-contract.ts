/** What the core relies on in every gateway, whatever answers behind it. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentGateway, AskingGuard } from '../../src/core/agents/agent.ts';
import { BridgeError } from '../../src/errors.ts';
import { ask, question, UNGUARDED } from '../fakes/hostile-platform.ts';
import { PNG } from '../fakes/pixel.ts';

/** How the agent answers from now on: these pieces of text, then the end, a break, silence, or a refusal of the question. */
export interface Played {
  readonly pieces: readonly string[];
  readonly ending: 'end' | 'break' | 'silence' | 'refusal';
}

export interface GatewayStage {
  readonly gateway: AgentGateway;
  play(answer: Played): void;
  /** Everything that the agent got with each question, as JSON. */
  readonly asked: readonly string[];
  /** Resolves once the agent notices that its answer is no longer read. */
  abandoned(): Promise<void>;
  close(): Promise<void>;
}

const free = new AbortController().signal;

/** Runs the contract. `open` starts the agent and connects the gateway. */
export function gatewayContract(name: string, open: () => Promise<GatewayStage>): void {
  describe(`the gateway of ${name}`, () => {
    let stage: GatewayStage;
    beforeEach(async () => {
      stage = await open();
    });
    afterEach(() => stage.close());

    it('passes the text on in order, and ends', async () => {
      stage.play({ pieces: ['Ninety ', 'days, ', 'Prüfung 保修 😀.'], ending: 'end' });
      const { events, text, error } = await ask(stage.gateway);
      expect([text, error]).toEqual(['Ninety days, Prüfung 保修 😀.', undefined]);
      expect(events.at(-1)).toMatchObject({ type: 'end' });
      expect(stage.asked).toHaveLength(1);
    });

    it('asks nothing while the turn may not be asked', async () => {
      stage.play({ pieces: ['no'], ending: 'end' });
      const lost = new BridgeError('turn-interrupted', 'Another process has the turn.');
      const ready = () => Promise.reject(lost);
      const { events, error } = await ask(stage.gateway, {}, free, { ready, maySend: () => true });
      expect([events, error, stage.asked]).toEqual([[], lost, []]);
    });

    it('asks again for permission if the turn was lost just before the question is sent', async () => {
      stage.play({ pieces: ['yes'], ending: 'end' });
      const calls: string[] = [];
      const guard: AskingGuard = {
        ready: async () => void calls.push('ready'),
        maySend: () => calls.push('send') > 2,
      };
      expect((await ask(stage.gateway, {}, free, guard)).text).toBe('yes');
      expect(calls).toEqual(['ready', 'send', 'ready', 'send']);
      expect(stage.asked).toHaveLength(1);
    });

    it('stops at once, and tells the agent', async () => {
      stage.play({ pieces: ['So far. '], ending: 'silence' });
      const stop = new AbortController();
      const reason = new Error('stopped');
      const listen = async () => {
        for await (const { type } of stage.gateway.ask(question(), stop.signal, UNGUARDED))
          if (type === 'text') stop.abort(reason);
      };
      await expect(listen()).rejects.toBe(reason);
      await stage.abandoned();
    });

    it('keeps the text of an answer that breaks off, and asks nothing again', async () => {
      stage.play({ pieces: ['So far. '], ending: 'break' });
      const { text, error } = await ask(stage.gateway);
      expect(text).toBe('So far. ');
      expect(error).toBeInstanceOf(BridgeError);
      expect(stage.asked).toHaveLength(1);
    });

    it('reports a refused question with a code of the bridge', async () => {
      stage.play({ pieces: [], ending: 'refusal' });
      const { events, error } = await ask(stage.gateway);
      expect(events.filter(({ type }) => type === 'text')).toEqual([]);
      expect(error).toBeInstanceOf(BridgeError);
    });

    it('ends an answer without text, or reports it', async () => {
      stage.play({ pieces: [], ending: 'end' });
      const { text, error } = await ask(stage.gateway);
      expect(text).toBe('');
      if (error !== undefined) expect(error).toMatchObject({ code: 'platform-empty' });
    });

    it('cuts an answer without an end, and stops reading it (fault F11)', async () => {
      stage.play({ pieces: Array.from({ length: 80 }, () => 'x'.repeat(4_096)), ending: 'silence' });
      const { events, text, error } = await ask(stage.gateway);
      expect([text.length, error]).toEqual([256 * 1024, undefined]);
      expect(events).toContainEqual({ type: 'remark', remark: 'answer-cut' });
      await stage.abandoned();
    });

    it('gives the agent the quotes with their authors, and what is omitted', async () => {
      stage.play({ pieces: ['ok'], ending: 'end' });
      const quoted = [{ author: 'Kai', text: 'The log is long.' }];
      await ask(stage.gateway, { quoted, omitted: ['the video demo.mp4'] });
      for (const part of ['How long is the warranty?', 'Kai', 'The log is long.', 'the video demo.mp4'])
        expect(stage.asked[0]).toContain(part);
    });

    it('gives the agent the earlier exchanges if it has no sessions of its own', async () => {
      stage.play({ pieces: ['ok'], ending: 'end' });
      await ask(stage.gateway, { history: [{ question: 'Earlier?', answer: 'Yes, earlier.' }] });
      const has = stage.gateway.memory !== 'session';
      for (const part of ['Earlier?', 'Yes, earlier.']) expect(stage.asked[0]?.includes(part)).toBe(has);
    });

    it('gives the agent the images', async () => {
      if (!stage.gateway.sees.images) return;
      stage.play({ pieces: ['ok'], ending: 'end' });
      const call = { signal: new AbortController().signal };
      const file = { name: 'a.png', type: 'image/png', bytes: PNG } as const;
      const images = await stage.gateway.uploadImages([file], call);
      expect(images).toHaveLength(1);
      expect((await ask(stage.gateway, { images })).text).toBe('ok');
    });

    it('reports whether the agent can be asked', async () => {
      const findings = await stage.gateway.check(new AbortController().signal);
      expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    });
  });
}
