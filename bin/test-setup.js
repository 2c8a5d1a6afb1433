/** Loaded by vitest once, before all tests: builds the console's page, which tests open in a browser. */
export { buildPage as setup } from './first-step.js';
