/** The composition root: the command line with the channels that it serves. */
import { endWithOutput } from './cli/own-process.ts';
import { run } from './cli/program.ts';

endWithOutput();
process.exitCode = await run(process.argv.slice(2), {
  channels: async () => (await import('../adapters/registry.ts')).channels,
  packages: async () => (await import('../adapters/registry.ts')).packages,
  terminal: async (show) => (await import('../adapters/terminal/index.ts')).createTerminal(show),
});
