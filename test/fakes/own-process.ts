/** Runs a fake as a process of its own: reports its address, and ends on request or with its parent. */
export function serveUntilEnded(fake: { readonly url: string; close(): Promise<void> }): void {
  // If the parent process has a message channel, sends it the address as a message. Otherwise, prints the address as
  // a line.
  if (process.send) process.send({ type: 'ready', url: fake.url });
  else process.stdout.write(`${fake.url}\n`);

  const end = async (): Promise<void> => {
    await fake.close();
    process.exit(0);
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => void end());
}
