import make from './memory-destinations.ts';

/** Takes every piece of evidence for the truth, and answers of suspicion that it changed something. */
export default function broken() {
  const { destinations, elapse } = make();
  const report: typeof destinations.report = (evidence) =>
    destinations.report(evidence.map((each) => ({ ...each, kind: 'dead' })));
  return { destinations: { ...destinations, report }, elapse };
}
