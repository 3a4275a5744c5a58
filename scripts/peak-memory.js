// Preloaded by the benchmark: prints the peak resident set of the process when it ends, in MB.
process.on('exit', () => process.stderr.write(`peak rss ${Math.round(process.resourceUsage().maxRSS / 1024)}\n`));
