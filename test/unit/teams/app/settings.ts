import type { ManifestSettings } from '../../../../adapters/teams/app/package.ts';

export const APP_ID = '6a3f0c52-9c1f-4a8e-9d0b-52f6a1c7e210';

/** Returns the settings of a complete app. */
export const appSettings = (over: Partial<ManifestSettings> = {}): ManifestSettings => ({
  appId: APP_ID,
  name: 'Parley',
  description: 'Ask the agents of your organization in chats and channels',
  developer: { name: 'Parley' },
  prompts: [],
  allMessages: false,
  targeted: false,
  copilot: false,
  version: '1.2.3',
  publicUrl: 'https://parley.example.org',
  ...over,
});
