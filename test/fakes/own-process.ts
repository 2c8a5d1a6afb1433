/** A fake that runs as a process of its own: tells its address, and ends when it is asked to or its parent is gone. */
export function serveUntilEnded(fake: { readonly url: string; close(): Promise<void> }): void {
  // A parent that started this process with a channel is told by a message; a terminal by a line.
  if (process.send) process.send({ type: 'ready', url: fake.url });
  else process.stdout.write(`${fake.url}\n`);

  const end = async (): Promise<void> => {
    await fake.close();
    process.exit(0);
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => void end());
}
