/** Loaded before every test file (vitest.config.ts): nock refuses connections to other machines, whichever client opens them. */

import nock from 'nock';

/** The names and addresses of this machine, as nock compares them: with the port. */
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)(:\d+)?$/;

nock.disableNetConnect();
nock.enableNetConnect(LOOPBACK);
