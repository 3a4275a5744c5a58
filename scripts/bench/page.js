/** The page that `npm run bench -- sqlite --write` writes: what was measured, where, and beside what. */
export function benchmarksPage({ machine, load, rows }) {
  const lines = rows.map(({ name, perSecond, barePerSecond, rssMb }) => {
    const ratio = barePerSecond === undefined ? '' : `${Math.round((perSecond / barePerSecond) * 100)} %`;
    return `| ${name} | ${perSecond} | ${barePerSecond ?? ''} | ${ratio} | ${rssMb ?? ''} |`;
  });
  return `# Benchmarks

<!-- Written by: npm run bench -- sqlite --write -->

The SQLite ledger on \`libsql\`, \`synchronous\` FULL. Batches of 50 at the ledger, of 200 in whole workers. Run it on your own machine: \`npm run
bench -- sqlite\`.

Machine: ${machine}. Load average when it began: ${load}${load > 1 ? '; other programs were running, so compare the two columns of a row, not rows with other machines' : ''}.

| what | per second | the same SQL alone, per second | ratio | peak memory, MB |
| --- | --- | --- | --- | --- |
${lines.join('\n')}

- **fan-out**: recipients of a sealed list made into deliveries. **protocol**: claim, mark and settle of each delivery. **worker**: a whole worker,
  from the first message to the last.
- **the same SQL alone**: the statements of that run, recorded and run again on an equal file by a loop that does nothing else. Both in one process,
  in turn, three times; the median of each.
- **beside 1,000,000**: in a file that holds a million deliveries which were sent before.
- **memory at**: a whole worker for one notification to that many recipients, in a process of its own.
`;
}
