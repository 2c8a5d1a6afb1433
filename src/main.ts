/** The command line's entry. */
import { leaveQuietly, run } from './cli/program.ts';

process.stdout.on('error', leaveQuietly);
process.exitCode = await run(process.argv.slice(2));
