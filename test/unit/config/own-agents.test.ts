import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { oneAgent as sandbox } from '../../fakes/house.ts';
import { loadConfig } from '../../fakes/load-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-own-agents-'));
afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string, functions: readonly string[] = []) {
  const file = join(folder, 'parley.yaml');
  writeFileSync(file, text);
  return loadConfig({ environment: {}, file, sandbox, functions });
}

const LOCAL = 'interface: openai, baseUrl: http://127.0.0.1:11434/v1, model: llama3';

describe('agents without a platform', () => {
  it('need no platform, and start no sandbox', () => {
    const { config, embedded } = load(`agents: { local: { ${LOCAL} }, mine: { interface: function } }`, [
      'mine',
    ]);
    expect([config.platforms, embedded, config.defaultAgent]).toEqual([{}, false, 'local']);
    expect(config.agents.local).toMatchObject({
      platform: '@bridge',
      historyChars: 24_000,
      seesImages: true,
    });
  });

  it('stand beside agents of a platform', () => {
    const other = 'interface: lite-key, credential: { kind: api-key, key: k }';
    const platform = 'platform: { baseUrl: https://platform.example.org }';
    const { config } = load(`${platform}\nagents: { local: { ${LOCAL} }, other: { ${other} } }`);
    expect([config.agents.local?.platform, config.agents.other?.platform]).toEqual(['@bridge', 'main']);
    expect(() => load(`agents: { local: { ${LOCAL} }, other: { ${other} } }`)).toThrow(
      /platform\.baseUrl is missing/,
    );
  });

  it.each([
    ['{ interface: openai, baseUrl: "http://models.example.org/v1", model: m }', 'allowInsecureHttp: true'],
    [`{ ${LOCAL.replace('/v1', '/v1?key=1')} }`, 'agents.a.baseUrl contains a query'],
    [`{ ${LOCAL}, historyChars: 1000000 }`, 'Give at most 24000'],
    [`{ ${LOCAL}, temperature: hot }`, 'agents.a.temperature is "hot". Give a number.'],
    [`{ ${LOCAL}, workspace: w }`, 'agents.a.workspace is not a setting.'],
    ['{ interface: function }', 'agents.a has no function. Start the bridge with createParley'],
  ])('%s is refused with its cure', (agent, line) => {
    expect(() => load(`agents: { a: ${agent} }`)).toThrow(line);
  });

  it('may use http in a network that the operator trusts', () => {
    const agent =
      '{ interface: openai, baseUrl: "http://models.example.org/v1", model: m, allowInsecureHttp: true }';
    expect(load(`agents: { a: ${agent} }`).config.agents.a).toMatchObject({ model: 'm' });
  });
});
