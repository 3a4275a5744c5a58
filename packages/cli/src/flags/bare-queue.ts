/** `--queue` without a value says what is so without it, against a config or a sender that has none: the harness's own queue. */
export function withBareQueue(argv: readonly string[]): string[] {
  return argv.map((word, at) => {
    const next = argv[at + 1];
    return word === '--queue' && (next === undefined || next.startsWith('-')) ? '--queue=simulated' : word;
  });
}
